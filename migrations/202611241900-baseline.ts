import type { Schema } from './_helpers.ts'
import { createAccountsTables } from './baseline/accounts.ts'
import { createAutomationTables } from './baseline/automation.ts'
import { createCodeTables } from './baseline/code.ts'
import { createCoreTables } from './baseline/core.ts'
import { createDeliveryTables } from './baseline/delivery.ts'
import { createIssuesTables } from './baseline/issues.ts'
import { createMigrationTables } from './baseline/migration.ts'
import { createOperationsTables } from './baseline/operations.ts'
import { createPackagesTables } from './baseline/packages.ts'
import { createPullsTables } from './baseline/pulls.ts'
import { createRepositoriesTables } from './baseline/repositories.ts'

/** The schema of the first release, by domain: a table refers to tables of its own and earlier domains. */
export async function createBaseline(schema: Schema): Promise<void> {
  await createCoreTables(schema)
  await createAccountsTables(schema)
  await createRepositoriesTables(schema)
  await createCodeTables(schema)
  await createIssuesTables(schema)
  await createPullsTables(schema)
  await createAutomationTables(schema)
  await createPackagesTables(schema)
  await createDeliveryTables(schema)
  await createMigrationTables(schema)
  await createOperationsTables(schema)
}
