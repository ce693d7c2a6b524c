import { CompiledQuery, type DatabaseConnection, PostgresDriver, type TransactionSettings } from 'kysely'

/**
 * Transactions, on connections in pipeline mode: the first statement is sent without waiting for the answer to `begin`,
 * which saves a round trip. NOTE: `begin` fails only with its connection, and so does all that is sent after it.
 */
export class PostgresWrites extends PostgresDriver {
  readonly #begun = new WeakMap<DatabaseConnection, Promise<unknown>>()

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (settings.isolationLevel !== undefined || settings.accessMode !== undefined)
      return super.beginTransaction(connection, settings)
    const begun = connection.executeQuery(CompiledQuery.raw('begin'))
    begun.catch(() => {})
    this.#begun.set(connection, begun)
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#begun.get(connection)
    await super.commitTransaction(connection)
  }
}
