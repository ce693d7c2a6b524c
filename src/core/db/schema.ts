/**
 * Every table, by its name in the database. Each module adds its own by declaration merging in its `*.table.ts`, so
 * that a query may join any table without importing its module.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended where the tables are owned
export interface Schema {}
