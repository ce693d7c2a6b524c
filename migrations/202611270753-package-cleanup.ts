import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Rules by which old versions of packages are deleted. */
export async function createPackageCleanup(schema: Schema): Promise<void> {
  await createTable(schema, 'package_cleanup_rule', (t) =>
    t
      .id()
      .reference('owner_id', 'user')
      .text('type')
      .flag('is_enabled')
      .number('keep_count')
      .text('keep_pattern')
      .number('remove_days')
      .text('remove_pattern')
      .flag('matches_full_name')
      .number('author_id')
      .text('restriction')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'package_cleanup_rule', ['owner_id', 'type'], { unique: true })
}
