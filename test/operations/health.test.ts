import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HealthCheck } from '../../src/domains/operations/instance/health-check.ts'
import { type S3TestServer, startS3 } from '../harness/s3-server.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { BUCKET_TUNING, bucketSettings } from '../core/blobs/fixture.ts'

const PATIENT = { timeout: 10_000 }

describe('the health of a server', () => {
  let server: TestServer
  let bucket: S3TestServer
  beforeAll(async () => {
    bucket = await startS3()
    const settings = { 'service.require_signin_view': 'true', 'rate_limit.anonymous_per_minute': '1' }
    server = await startServer({ settings: bucketSettings(bucket, settings), tuning: BUCKET_TUNING })
  })
  afterAll(async () => {
    await server.close()
    await bucket.close()
  })

  const ask = async (name: 'healthz' | 'readyz'): Promise<[number, unknown]> => {
    const { status, json, headers } = await server.anonymous.get(`//api/${name}`)
    expect(headers.get('content-type')).toContain('application/health+json')
    expect(headers.get('cache-control')).toBe('no-store')
    return [status, json]
  }
  const healthy = [200, { status: 'pass', checks: { database: 'pass' } }]
  const checks = { server: 'pass', database: 'pass', schema: 'pass', repositories: 'pass', storage: 'pass' }
  const ready = [200, { status: 'pass', checks }]

  it('passes without credentials, and runs one test for many requests', async () => {
    // The first request to the bucket loads its library.
    await expect.poll(() => ask('readyz'), PATIENT).toEqual(ready)
    const before = bucket.requests.length
    for (let n = 0; n < 20; n++) {
      expect(await ask('healthz')).toEqual(healthy)
      expect(await ask('readyz')).toEqual(ready)
    }
    expect(bucket.requests.length - before).toBeLessThan(10)
  })

  it('is ready with a warning without the bucket, not ready without the repositories', async () => {
    const [root, elsewhere] = [join(server.dataDir, 'git'), join(server.dataDir, 'elsewhere')]
    bucket.fault = () => ({ status: 500, code: 'InternalError' })
    await expect
      .poll(() => ask('readyz'), PATIENT)
      .toEqual([200, { status: 'warn', checks: { ...checks, storage: 'warn' } }])
    renameSync(root, elsewhere)
    await expect
      .poll(() => ask('readyz'), PATIENT)
      .toEqual([503, { status: 'fail', checks: { ...checks, repositories: 'fail', storage: 'warn' } }])
    expect(await ask('healthz')).toEqual(healthy)
    renameSync(elsewhere, root)
    bucket.fault = () => undefined
    await expect.poll(() => ask('readyz'), PATIENT).toEqual(ready)
  })

  it('is not ready on a schema that needs a newer version', async () => {
    const migrated = (oldest: string): Promise<unknown> =>
      server.app.database.transaction((tx) => tx.updateTable('schema_release').set({ oldest }).execute())
    await migrated('99.1.0')
    const failed = [503, { status: 'fail', checks: { ...checks, schema: 'fail' } }]
    await expect.poll(() => ask('readyz'), PATIENT).toEqual(failed)
    await migrated('26.11.0')
    await expect.poll(() => ask('readyz'), PATIENT).toEqual(ready)
  })

  it('is not ready when it is about to stop, but still serves requests', async () => {
    server.app.beginStop()
    expect(await ask('readyz')).toEqual([503, { status: 'fail', checks: { ...checks, server: 'fail' } }])
    expect(await ask('healthz')).toEqual(healthy)
    expect((await server.anonymous.get('/version')).status).toBe(403)
  })

  it('fails without the database', async () => {
    await server.app.database.connections.read.destroy()
    await expect.poll(() => ask('healthz'), PATIENT).toEqual([503, { status: 'fail', checks: { database: 'fail' } }])
    expect(await ask('readyz')).toMatchObject([503, { checks: { database: 'fail' } }])
  })
})

it('one test of a component runs at a time, ends at its deadline and is logged once', async () => {
  let tests = 0
  const logged: string[] = []
  const log = { error: () => logged.push('fails'), info: () => logged.push('passes') }
  const answers = [() => new Promise(() => {}), () => Promise.reject(new Error('away')), () => Promise.resolve()]
  const test = (): Promise<unknown> => answers[tests++]!()
  const check = new HealthCheck({ name: 'part', test, deadlineMs: 20, freshMs: 0, log: log as never })
  expect(await Promise.all([check.passes(), check.passes()])).toEqual([false, false])
  expect(tests).toBe(1)
  expect(await check.passes()).toBe(false)
  expect(await check.passes()).toBe(true)
  expect(logged).toEqual(['fails', 'passes'])
})

it('caches a failure for a shorter time than a success', async () => {
  let isAway = true
  let tests = 0
  const test = async (): Promise<void> => {
    tests++
    if (isAway) throw new Error('away')
  }
  const log = { error: () => {}, info: () => {} }
  const times = { deadlineMs: 20, freshMs: 3_600_000, failureFreshMs: 0 }
  const check = new HealthCheck({ name: 'part', test, ...times, log: log as never })
  expect(await check.passes()).toBe(false)
  isAway = false
  expect(await check.passes()).toBe(true)
  expect(await check.passes()).toBe(true)
  expect(tests).toBe(2)
})

it('metrics are disabled by default', async () => {
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
