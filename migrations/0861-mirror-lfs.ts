import { addColumn, type Schema } from './_helpers.ts'

/**
 * Large files follow mirrors; `lfs_pending` while some that a mirror points to may not have come, `lfs_sent` is the
 * last link that a push mirror has got.
 */
export async function addMirrorLfs(schema: Schema): Promise<void> {
  await addColumn(schema, 'mirror', { name: 'has_lfs', type: 'flag', initial: 0 })
  await addColumn(schema, 'mirror', { name: 'lfs_endpoint', type: 'text', initial: '' })
  await addColumn(schema, 'mirror', { name: 'lfs_pending', type: 'flag', initial: 0 })
  await addColumn(schema, 'push_mirror', { name: 'lfs_sent', type: 'number', initial: 0 })
}
