/**
 * The second fence around a batch's own SQL, which knows nothing of its words: SQLite compiles the statement against a
 * database that holds nothing but an empty `rows`, and the program it makes may open nothing else.
 */
import Database from 'better-sqlite3';
import { indexStatements, tableStatement } from '../../../events/migrate.js';
import type { CompiledStatement } from './cost.js';
import { refusedSql } from './tokens.js';

interface Instruction {
  readonly opcode: string;
  readonly p1: number;
  readonly p2: number;
  readonly p3: number;
  readonly p4: string | null;
  readonly p5: number;
}

/** Why SQLite cannot compile a statement that is allowed: its own words, which name no table but rows. */
export class Uncompilable extends Error {}

/**
 * @param bindings what the statement's parameters are bound to.
 * @returns what the statement would do.
 * @throws StoreError VALIDATION_ERROR for a statement that would touch anything but `rows`; {@link Uncompilable}.
 */
export function checkProgram(sql: string, bindings: Readonly<Record<string, unknown>>): CompiledStatement {
  const fenced = fencedDatabase();
  const program = explain<Instruction>(fenced, `EXPLAIN ${sql}`, bindings);
  for (const instruction of program) assertHarmless(instruction, fenced);
  const plan = explain<PlanStep>(fenced, `EXPLAIN QUERY PLAN ${sql}`, bindings);
  const columns = Math.max(0, ...program.filter(({ opcode }) => opcode === 'ResultRow').map(({ p2 }) => p2));
  return { plan: plan.map(({ detail }) => detail), calls: program.flatMap(callsOf), columns };
}

interface PlanStep {
  readonly detail: string;
}

function callsOf({ opcode, p4 }: Instruction): string[] {
  if (opcode === 'Concat') return ['||'];
  return /Func|AggStep/.test(opcode) ? [(p4 ?? '').replace(/\(-?\d+\)$/, '').toLowerCase()] : [];
}

interface FencedDatabase {
  readonly database: Database.Database;
  readonly roots: ReadonlySet<number>;
  /** How EXPLAIN shows json_each and json_tree on this connection. */
  readonly modules: ReadonlySet<string | null>;
}

let known: FencedDatabase | null = null;

/** One for the process: it never holds a row. */
function fencedDatabase(): FencedDatabase {
  known ??= makeFencedDatabase();
  return known;
}

function makeFencedDatabase(): FencedDatabase {
  const database = new Database(':memory:');
  database.pragma('trusted_schema = OFF');
  for (const statement of [tableStatement('rows', 'rows'), ...indexStatements('rows')]) database.exec(statement);
  const roots = new Set(database.prepare<[], number>('SELECT rootpage FROM sqlite_schema').pluck().all());
  const module = (name: string) =>
    database
      .prepare<[], Instruction>(`EXPLAIN SELECT * FROM ${name}('[]')`)
      .all()
      .find(({ opcode }) => opcode === 'VOpen')?.p4 ?? null;
  return { database, roots, modules: new Set([module('json_each'), module('json_tree')]) };
}

function explain<Line>({ database }: FencedDatabase, sql: string, bindings: Readonly<Record<string, unknown>>): Line[] {
  try {
    const statement = database.prepare<unknown[], Line>(sql);
    return Object.keys(bindings).length === 0 ? statement.all() : statement.all(bindings);
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (/no such (table|module|view)|unknown database|more than one statement|may not be modified/i.test(message)) {
      throw refusedSql('only the table rows can be used, in one statement');
    }
    throw new Uncompilable(message, { cause: error });
  }
}

const forbidden =
  /^(ParseSchema|Vacuum|IncrVacuum|SqlExec|CreateBtree|Destroy|Drop\w+|ReadCookie|SetCookie|JournalMode|Checkpoint|AutoCommit|Savepoint|Pagecount|MaxPgcnt|LoadAnalysis|IntegrityCk|Expire|TableLock|VBegin|VCreate|VDestroy|VUpdate|VRename)$/;
const forbiddenFunction = /^(load_extension|readfile|writefile|edit|fts|rtree|geopoly|sqlite_|zipfile|sqlar)/i;

function assertHarmless(instruction: Instruction, { roots, modules }: FencedDatabase): void {
  const { opcode, p1, p2, p3, p4, p5 } = instruction;
  const isHarmless = () => {
    if (forbidden.test(opcode)) return false;
    switch (opcode) {
      case 'Transaction':
        return p1 === 0;
      case 'OpenRead':
      case 'OpenWrite':
      case 'ReopenIdx':
        return p3 === 0 && roots.has(p2) && (p5 & rootInRegister) === 0;
      case 'Clear':
        return p2 === 0 && roots.has(p1);
      case 'VOpen':
        return modules.has(p4);
      default:
        return !(/Func|Agg/.test(opcode) && forbiddenFunction.test(p4 ?? ''));
    }
  };
  if (!isHarmless()) throw refusedSql('only the table rows can be used');
}

/** OPFLAG_P2ISREG: the root page is only known while the program runs. */
const rootInRegister = 0x10;
