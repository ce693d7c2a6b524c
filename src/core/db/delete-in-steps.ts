import { sql, type RawBuilder } from 'kysely'
import { createPauses } from '../platform/concurrency/pauses.ts'
import { cascadesOf, dialectOf, extendDeadline, type Tx } from './database.ts'
import type { Cascade } from './dialect/dialect.ts'
import type { Schema } from './schema.ts'

/** Maximum rows of one table that one statement deletes: a few milliseconds of the thread that runs SQLite. */
const STEP = 100

/**
 * Deletes rows and, like `on delete cascade`, all rows that refer to them, but in steps: other requests are answered in
 * between, and the transaction's deadline restarts after each step. Other writers wait until it ends.
 */
export async function deleteInSteps(tx: Tx, table: keyof Schema, ids: readonly number[]): Promise<void> {
  const deletion = new Deletion(tx, await cascadesOf(tx))
  for (let from = 0; from < ids.length; from += STEP) await deletion.deleteRows(table, ids.slice(from, from + STEP), [])
}

/**
 * Changes many rows in steps, as `deleteInSteps` deletes them. `change` changes at most `limit` rows, which it must not
 * find again afterwards.
 */
export async function changeInSteps(tx: Tx, change: (limit: number) => Promise<bigint>): Promise<void> {
  const pause = createPauses()
  while ((await change(STEP)) === BigInt(STEP)) {
    extendDeadline(tx)
    await pause()
  }
}

class Deletion {
  readonly #tx: Tx
  readonly #cascades: readonly Cascade[]
  readonly #pause = createPauses()

  constructor(tx: Tx, cascades: readonly Cascade[]) {
    this.#tx = tx
    this.#cascades = cascades
  }

  /** `above` are the tables on the path to this one. Tables that refer to each other are left to the foreign keys. */
  async deleteRows(table: string, ids: readonly number[], above: readonly string[]): Promise<void> {
    const way = [...above, table]
    const referring = this.#referringTo(table).filter((cascade) => !way.includes(cascade.table))
    const [parents, leaves] = [referring.filter(this.#isParent), referring.filter((one) => !this.#isParent(one))]
    for (const parent of parents) {
      let found: readonly number[]
      do {
        found = await this.#idsOf(parent, ids)
        if (found.length > 0) await this.deleteRows(parent.table, found, way)
      } while (found.length === STEP)
    }
    for (const leaf of await this.#largeOf(leaves, ids)) while ((await this.#deleteSome(leaf, ids)) === STEP) continue
    await this.#step(sql`delete from ${sql.table(table)} where id in ${this.#list(ids)}`)
  }

  #referringTo(table: string): Cascade[] {
    return this.#cascades.filter((cascade) => cascade.parent === table)
  }

  readonly #isParent = ({ table }: Cascade): boolean => this.#referringTo(table).length > 0

  async #idsOf({ table, column }: Cascade, ids: readonly number[]): Promise<number[]> {
    const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)}
      where ${sql.ref(column)} in ${this.#list(ids)} limit ${sql.lit(STEP)}`.execute(this.#tx)
    return rows.map((row) => row.id)
  }

  /** The foreign keys by which more rows refer to these than a step deletes. */
  async #largeOf(leaves: readonly Cascade[], ids: readonly number[]): Promise<readonly Cascade[]> {
    if (leaves.length === 0) return []
    const parts = leaves.map(
      ({ table, column }, at) => sql`select ${sql.lit(at)} as leaf where exists (select 1 from ${sql.table(table)}
        where ${sql.ref(column)} in ${this.#list(ids)} limit 1 offset ${sql.lit(STEP)})`,
    )
    const { rows } = await sql<{ leaf: number }>`${sql.join(parts, sql` union all `)}`.execute(this.#tx)
    return rows.map(({ leaf }) => leaves[leaf]!)
  }

  #deleteSome({ table, column }: Cascade, ids: readonly number[]): Promise<number> {
    const address = sql.raw(dialectOf(this.#tx).rowAddress)
    return this.#step(sql`delete from ${sql.table(table)} where ${address} in (select ${address}
      from ${sql.table(table)} where ${sql.ref(column)} in ${this.#list(ids)} limit ${sql.lit(STEP)})`)
  }

  /** Returns the number of changed rows. */
  async #step(statement: RawBuilder<unknown>): Promise<number> {
    const { numAffectedRows } = await statement.execute(this.#tx)
    extendDeadline(this.#tx)
    await this.#pause()
    return Number(numAffectedRows ?? 0)
  }

  #list(ids: readonly number[]): RawBuilder<unknown> {
    const json = JSON.stringify(ids.map((id) => ({ id })))
    return sql`(select id from ${dialectOf(this.#tx).jsonRows<{ id: number }>(json, { id: 'bigint' })})`
  }
}
