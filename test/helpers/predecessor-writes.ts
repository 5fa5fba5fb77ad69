/** What the predecessor does to a table's file: rows and history in one transaction, and its own roll (storage.md §10). */

import { compress } from '@mongodb-js/zstd';
import Database from 'better-sqlite3';

type Op = 'create' | 'update' | 'delete';

interface Raw {
  id: number;
  version: number;
  recorded_at: number;
  op: Op;
  data_json: string;
}

export class PredecessorWrites {
  readonly #database: Database.Database;

  constructor(
    path: string,
    private readonly table: string,
    private readonly limits = { keepRecent: 16, chunkMin: 48 },
  ) {
    this.#database = new Database(path, { timeout: 5000 });
  }

  async create(id: string, data: object, now: number): Promise<void> {
    const text = JSON.stringify(data);
    this.#database
      .prepare('INSERT INTO rows (id, data, created_at, updated_at) VALUES (?, ?, ?, ?)')
      .run(id, text, now, now);
    await this.#record(id, 'create', text, now);
  }

  async update(id: string, data: object, now: number): Promise<void> {
    const text = JSON.stringify(data);
    this.#database.prepare('UPDATE rows SET data = ?, updated_at = ? WHERE id = ?').run(text, now, id);
    await this.#record(id, 'update', text, now);
  }

  async delete(id: string, now: number): Promise<void> {
    const data = this.#database.prepare<[string], string>('SELECT data FROM rows WHERE id = ?').pluck().get(id) ?? '';
    this.#database.prepare('DELETE FROM rows WHERE id = ?').run(id);
    await this.#record(id, 'delete', data, now);
  }

  close(): void {
    this.#database.close();
  }

  async #record(id: string, op: Op, data: string, now: number): Promise<void> {
    const sql = `INSERT INTO _row_history (table_name, row_id, version, recorded_at, op, data_json)
      VALUES (:table, :id, 1 + max(
        coalesce((SELECT max(version) FROM _row_history WHERE table_name = :table AND row_id = :id), 0),
        coalesce((SELECT max(version_end) FROM _row_history_archive WHERE table_name = :table AND row_id = :id), 0)),
        :now, :op, :data)`;
    this.#database.prepare(sql).run({ table: this.table, id, now, op, data });
    await this.#roll(id);
  }

  async #roll(id: string): Promise<void> {
    const { keepRecent, chunkMin } = this.limits;
    const sql = 'SELECT * FROM _row_history WHERE table_name = ? AND row_id = ? ORDER BY version';
    const raw = this.#database.prepare<[string, string], Raw>(sql).all(this.table, id);
    if (raw.length <= keepRecent + chunkMin) return;
    const old = raw.slice(0, Math.min(raw.length - keepRecent, chunkMin + 1));
    const lines = old.map(({ version, recorded_at, op, data_json }) => {
      return `${JSON.stringify({ version, recorded_at, op, data_json })}\n`;
    });
    const [first, last] = [old[0], old.at(-1)];
    const insert = `INSERT INTO _row_history_archive (table_name, row_id, version_start, version_end, recorded_start,
      recorded_end, entry_count, format, blob) VALUES (?, ?, ?, ?, ?, ?, ?, 'jsonl-zstd', ?)`;
    const range = [first?.version, last?.version, first?.recorded_at, last?.recorded_at, old.length];
    const blob = await compress(Buffer.from(lines.join('')));
    this.#database.prepare(insert).run(this.table, id, ...range, blob);
    for (const { id: entry } of old) this.#database.prepare('DELETE FROM _row_history WHERE id = ?').run(entry);
  }
}
