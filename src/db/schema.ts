/**
 * Every table, by its name in the database. Each subject adds its own by declaration merging in its `*.table.ts`, so
 * that a query may join any table without importing its subject.
 *
 * @public
 */
// oxlint-disable-next-line typescript/no-empty-interface -- extended where the tables are owned
export interface Schema {}
