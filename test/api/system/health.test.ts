import { expect, it } from 'vitest'
import { startServer } from '../../harness/server.ts'

it('healthz says pass while the database answers, and 503 when it does not', async () => {
  const server = await startServer()
  const well = await server.anonymous.get('//api/healthz')
  expect(well).toMatchObject({ status: 200, json: { status: 'pass', checks: { database: 'pass' } } })
  await server.app.database.connections.read.destroy()
  const ill = await server.anonymous.get('//api/healthz')
  expect(ill).toMatchObject({ status: 503, json: { status: 'fail', checks: { database: 'fail' } } })
  await server.close()
})

it('metrics are off by default', async () => {
  const server = await startServer()
  expect((await server.anonymous.get('//metrics')).status).toBe(404)
  await server.close()
})

it('metrics count requests by operation on the main server', async () => {
  const server = await startServer({ settings: { 'metrics.enabled': 'true' } })
  await server.anonymous.get('/version')
  await server.anonymous.get('/users/nobody')
  await expect
    .poll(async () => (await server.anonymous.get('//metrics')).text)
    .toContain('ingot_http_requests_total{operation="getVersion",method="GET",status="200"} 1')
  const { text, headers } = await server.anonymous.get('//metrics')
  expect(headers.get('content-type')).toContain('text/plain')
  expect(text).toContain('ingot_database_up 1')
  expect(text).toContain('process_resident_memory_bytes')
  await server.close()
})
