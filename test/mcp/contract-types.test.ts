/** What must not compile. Each line under a `@ts-expect-error` fails the type check once it is accepted. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Contract, ServiceKey, Services } from '../../src/mcp/contract.js';
import { Projection } from '../../src/mcp/projection.js';
import { annotation } from '../helpers/demo-view.js';

interface Clock {
  hours(): number;
}

const clock = new ServiceKey<Clock>('test/clock');
const contract = Contract.operation('test/Add', 1, {
  payload: z.object({ by: z.number() }),
  success: z.object({ sum: z.number() }),
});

describe('types', () => {
  it('let through what fits', () => {
    const binding = Projection.operation(clock, contract, (service, { by }) => ({ sum: service.hours() + by }));
    expect(binding.service).toBe('test/clock');
  });

  it('refuse a callback that does not fit its contract', () => {
    // @ts-expect-error the result is a string
    Projection.operation(clock, contract, () => ({ sum: 'three' }));
    // @ts-expect-error the result lacks its member
    Projection.operation(clock, contract, async () => ({}));
    // @ts-expect-error the payload has no such member
    Projection.operation(clock, contract, (_service, payload) => ({ sum: payload.of }));
    // @ts-expect-error the service has no such method
    Projection.operation(clock, contract, (service) => ({ sum: service.minutes() }));
    expect(contract.id).toBe('test/Add');
  });

  it('refuse values that do not fit their key', () => {
    // @ts-expect-error not a clock
    new Services().provide(clock, { hours: 3 });
    // @ts-expect-error an annotation lacks its hints
    contract.annotate(Projection.Annotation, { name: 'add', title: 'Add', description: 'Adds.', output: 'json' });
    expect(contract.annotate(Projection.Annotation, annotation('add')).version).toBe(1);
  });
});
