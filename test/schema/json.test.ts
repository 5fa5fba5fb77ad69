import { describe, expect, it } from 'vitest';
import { encodeJson, type JsonText, joinMembers, RawJson, splitMembers } from '../../src/schema/json.js';

describe('encodeJson', () => {
  it('keeps a message on one line, whatever line breaks somebody stored between the members', () => {
    const data = new RawJson('{\n  "a": 1,\r\n  "b": "x\\ny"\n}' as JsonText);
    const text = encodeJson({ data });
    expect(text).not.toMatch(/[\r\n]/);
    expect(JSON.parse(text)).toEqual({ data: { a: 1, b: 'x\ny' } });
  });

  it('shows raw text exactly, also inside text that is encoded itself', () => {
    const inner = encodeJson({ n: new RawJson('12345678901234567890.10' as JsonText) });
    expect(inner).toBe('{"n":12345678901234567890.10}');
    expect(encodeJson({ text: inner, raw: new RawJson('1.0' as JsonText) })).toContain('"raw":1.0');
  });

  it('takes no text of a caller for raw text', () => {
    const raw = new RawJson('{"secret":1}' as JsonText);
    expect(encodeJson({ raw, name: '\uffff0\uffff' })).toBe('{"raw":{"secret":1},"name":"\uffff0\uffff"}');
  });
});

describe('splitMembers', () => {
  it('keeps keys that JavaScript objects reorder or hide, and every value as it is', () => {
    const text = '{"b":1.0,"10":[1,{"x":"}\\""}],"2":null,"__proto__":{"a":1}}' as JsonText;
    expect([...splitMembers(text).keys()]).toEqual(['b', '10', '2', '__proto__']);
    expect(joinMembers(splitMembers(text))).toBe(text);
  });
});
