import { createTable, type Schema } from './_helpers.ts'

export async function createNodes(schema: Schema): Promise<void> {
  await createTable(schema, 'node', (t) =>
    t
      .text('instance')
      .primaryKey('instance')
      .text('name')
      .text('host')
      .number('pid')
      .text('version')
      .text('schema')
      .text('address')
      .number('workers')
      .number('started_at')
      .number('heartbeat_at')
      .number('clock_offset')
      .number('sender_pid'),
  )
}
