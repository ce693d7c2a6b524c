/** Rows and counters for tests of the database, which have no server to create accounts and repositories by its API. */
export { insertUser } from '../../src/domains/accounts/users/user.store.ts'
export { insertLabel } from '../../src/domains/issues/labels/label.store.ts'
export { findWrongCounters } from '../../src/domains/operations/upkeep/counter.store.ts'
export { insertRepo } from '../../src/domains/repositories/repos/repo.store.ts'
