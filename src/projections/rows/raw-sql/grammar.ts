/**
 * The first fence around a batch's own SQL: the words of the statement. One statement, of a kind that reads or writes rows;
 * wherever a table can stand there is `rows`, a common table, or json_each/json_tree; only the four columns are written.
 */
import { closing, commonTables, isMark, isName, isWord } from './common-tables.js';
import { refusedSql, type Token, tokenize } from './tokens.js';

/** @throws StoreError VALIDATION_ERROR. @returns the tokens, without a semicolon at the end. */
export function checkGrammar(sql: string): Token[] {
  if (sql.length > mostCharacters)
    throw refusedSql(`the statement is longer than ${mostCharacters} characters; put values into params`);
  if (sql.includes('\0')) throw refusedSql('the statement must not hold the NUL character');
  const tokens = tokenize(sql);
  if (isMark(tokens.at(-1), ';')) tokens.pop();
  if (tokens.some((token) => isMark(token, ';'))) throw refusedSql('one query is one statement');
  if (!isWord(tokens[0], 'SELECT', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'WITH', 'VALUES')) {
    throw refusedSql('only SELECT, INSERT, UPDATE, DELETE, REPLACE, WITH and VALUES are allowed');
  }
  for (const [at, token] of tokens.entries()) assertHarmlessName(token, tokens[at + 1]);
  new Walk(tokens).run();
  return tokens;
}

const mostCharacters = 100_000;

/** Names that nothing harmless has, wherever they stand. */
const foreign = /^(sqlite_|pragma_|_(?!rowid_$)|fts[0-9]|rtree|geopoly|dbstat$)/i;
const dangerous = /^(load_extension|readfile|writefile|edit|zipfile|fts3_tokenizer|fts5.*|sqlar_.*|zeroblob)$/i;

function assertHarmlessName(token: Token, next: Token | undefined): void {
  if (!isName(token)) return;
  if (foreign.test(token.text) || (dangerous.test(token.text) && isMark(next, '('))) {
    throw refusedSql(`the name ${token.text.slice(0, 40)} is not allowed: only the table rows can be used`);
  }
}

interface Frame {
  /** Inside a FROM clause, where a comma begins another table. */
  from: boolean;
  /** Inside SET, where a comma begins another target. */
  set: boolean;
}

const columns = new Set(['id', 'data', 'created_at', 'updated_at']);
const readFunctions = new Set(['json_each', 'json_tree']);

const endsClause = new Set([
  'SELECT',
  'VALUES',
  'WHERE',
  'GROUP',
  'HAVING',
  'ORDER',
  'LIMIT',
  'RETURNING',
  'UNION',
  'EXCEPT',
  'INTERSECT',
]);

class Walk {
  readonly #common: ReadonlySet<string>;
  #frame: Frame = { from: false, set: false };
  readonly #outer: Frame[] = [];
  #at = 0;

  constructor(private readonly tokens: readonly Token[]) {
    this.#common = commonTables(tokens);
  }

  run(): void {
    while (this.#at < this.tokens.length) this.#step(this.#at++);
    if (this.#outer.length > 0) throw refusedSql('a parenthesis is not closed');
  }

  #step(at: number): void {
    const token = this.tokens[at];
    if (isMark(token, '(')) this.#open(false);
    else if (isMark(token, ')')) this.#close();
    else if (isMark(token, ',')) this.#comma();
    else if (token?.kind === 'word') this.#word(token.text.toUpperCase(), at);
  }

  #open(from: boolean): void {
    this.#outer.push(this.#frame);
    this.#frame = { from, set: false };
  }

  #close(): void {
    const outer = this.#outer.pop();
    if (outer === undefined) throw refusedSql('a parenthesis is closed that was not opened');
    this.#frame = outer;
  }

  #comma(): void {
    if (this.#frame.set) this.#target();
    else if (this.#frame.from) this.#table();
  }

  #word(word: string, at: number): void {
    switch (word) {
      case 'FROM':
        this.#fromClause(at);
        break;
      case 'JOIN':
        this.#frame = { from: true, set: false };
        this.#table();
        break;
      case 'IN':
        if (!isMark(this.#next, '(')) this.#table();
        break;
      case 'INTO':
        this.#written();
        this.#columnList();
        break;
      case 'UPDATE':
        if (!isWord(this.tokens[at - 1], 'DO')) this.#update();
        break;
      case 'SET':
        this.#frame = { from: false, set: true };
        this.#target();
        break;
      default:
        if (endsClause.has(word)) this.#frame = { from: false, set: false };
    }
  }

  #fromClause(at: number): void {
    // `x IS [NOT] DISTINCT FROM y` compares.
    if (isWord(this.tokens[at - 1], 'DISTINCT') && isWord(this.tokens[at - 2], 'IS', 'NOT')) return;
    this.#frame = { from: true, set: false };
    if (isWord(this.tokens[at - 1], 'DELETE')) this.#written();
    else this.#table();
  }

  get #next(): Token | undefined {
    return this.tokens[this.#at];
  }

  /** A table to read. */
  #table(): void {
    if (isMark(this.#next, '(')) {
      this.#at++;
      const isNested = !isWord(this.#next, 'SELECT', 'WITH', 'VALUES');
      this.#open(isNested);
      if (isNested) this.#table();
      return;
    }
    const { name, isQualified } = this.#tableName();
    if (name === 'rows' || (!isQualified && this.#common.has(name))) return;
    if (!isQualified && readFunctions.has(name) && isMark(this.#next, '(')) return;
    throw refusedSql('only the table rows can be read');
  }

  /** The table of INSERT, UPDATE or DELETE. */
  #written(): void {
    if (this.#tableName().name !== 'rows') throw refusedSql('only the table rows can be written');
  }

  #tableName(): { name: string; isQualified: boolean } {
    const first = this.#takeName();
    if (!isMark(this.#next, '.')) return { name: first, isQualified: false };
    if (first !== 'main') throw refusedSql('only the table rows can be used');
    this.#at++;
    return { name: this.#takeName(), isQualified: true };
  }

  /** SQLite takes a string for a name, too, where only a name makes sense. */
  #takeName(): string {
    const token = this.#next;
    if (token === undefined || !(isName(token) || token.kind === 'string')) throw refusedSql('a table name is missing');
    this.#at++;
    return token.text.toLowerCase();
  }

  #update(): void {
    if (isWord(this.#next, 'OR')) this.#at += 2;
    this.#written();
  }

  #columnList(): void {
    if (isWord(this.#next, 'AS')) this.#at += 2;
    if (!isMark(this.#next, '(')) throw refusedSql('INSERT must name its columns: INSERT INTO rows (id, data, …)');
    this.#columns();
  }

  #target(): void {
    if (isMark(this.#next, '(')) this.#columns();
    else this.#column(this.tokens[this.#at++]);
  }

  #columns(): void {
    const end = closing(this.tokens, this.#at);
    for (let at = this.#at + 1; at < end; at += 2) {
      this.#column(this.tokens[at]);
      if (at + 1 < end && !isMark(this.tokens[at + 1], ',')) throw refusedSql('a list of columns holds names only');
    }
    this.#at = end + 1;
  }

  #column(token: Token | undefined): void {
    if (token === undefined || !columns.has(token.text.toLowerCase())) {
      throw refusedSql('only the columns id, data, created_at and updated_at can be written');
    }
  }
}
