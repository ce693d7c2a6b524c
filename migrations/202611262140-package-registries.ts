import { addColumn, createIndex, type Schema } from './_helpers.ts'

/** What registries of packages store beside names, versions and files. */
export async function addPackageRegistries(schema: Schema): Promise<void> {
  for (const table of ['package', 'package_version', 'package_file'])
    await addColumn(schema, table, { name: 'metadata', type: 'text', initial: '' })
  await addColumn(schema, 'package', { name: 'revision', type: 'number', initial: 0 })
  await addColumn(schema, 'package_version', { name: 'download_count', type: 'number', initial: 0 })
  await addColumn(schema, 'package_file', { name: 'created_at', type: 'number', initial: 0 })
  await createIndex(schema, 'package_file', ['sha256'])
}
