import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { zipOf } from './zip.ts'

describeOnBoth('the Go registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    await server.world.user('bob')
  })
  afterAll(() => server.close())

  const authorization = (name: string) => `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`
  async function upload(body: Buffer, name = 'ann') {
    const answer = await fetch(`${server.url}/api/packages/ann/go/upload`, {
      method: 'PUT',
      headers: { authorization: authorization(name) },
      body: new Uint8Array(body),
    })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const moduleZip = (path: string, version: string, mod: string | undefined = `module ${path}\n\ngo 1.21\n`) =>
    zipOf({
      ...(mod !== '' && { [`${path}@${version}/go.mod`]: mod }),
      [`${path}@${version}/a.go`]: 'package a\n',
    })
  const get = async (path: string) => {
    const answer = await fetch(`${server.url}/api/packages/ann/go/${path}`)
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }

  it('serves modules by the protocol of module proxies', async () => {
    const zip = moduleZip('example.test/mod', 'v1.0.0', 'module "example.test/mod" // comment\n\ngo 1.21\n')
    expect(await upload(zip)).toEqual([201, ''])
    expect((await upload(moduleZip('example.test/mod', 'v1.1.0', '')))[0]).toBe(201)
    expect((await upload(moduleZip('example.test/mod', 'v1.2.0-rc.1')))[0]).toBe(201)
    expect((await upload(zip))[0]).toBe(409)
    expect(await get('example.test/mod/@v/list')).toMatchObject({
      status: 200,
      type: 'text/plain;charset=utf-8',
      text: 'v1.0.0\nv1.1.0\nv1.2.0-rc.1\n',
    })
    const info = JSON.parse((await get('example.test/mod/@v/v1.0.0.info')).text)
    expect(info).toEqual({ Version: 'v1.0.0', Time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) })
    for (const latest of ['@latest', '@v/latest.info'])
      expect(JSON.parse((await get(`example.test/mod/${latest}`)).text)).toMatchObject({ Version: 'v1.1.0' })
    expect((await get('example.test/mod/@v/v1.0.0.mod')).text).toContain('module "example.test/mod"')
    expect((await get('example.test/mod/@v/v1.1.0.mod')).text).toBe('module example.test/mod\n')
    const downloaded = await fetch(`${server.url}/api/packages/ann/go/example.test/mod/@v/v1.0.0.zip`)
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(zip)).toBe(true)
    expect((await ann.client.get('/packages/ann/go/example.test%2Fmod/v1.0.0')).json).toMatchObject({
      type: 'go',
      name: 'example.test/mod',
    })
    for (const missing of ['example.test/mod/@v/v9.0.0.info', 'example.test/none/@v/list', 'example.test/none/@latest'])
      expect((await get(missing)).status).toBe(404)
  })

  it('reads escaped capitals, and keeps paths apart that differ by case', async () => {
    expect((await upload(moduleZip('example.test/Team/Lib', 'v0.1.0')))[0]).toBe(201)
    for (const path of ['example.test/!team/!lib', 'example.test/%21team/%21lib'])
      expect((await get(`${path}/@v/list`)).text).toBe('v0.1.0\n')
    for (const path of ['example.test/team/lib', 'example.test/Team/Lib'])
      expect((await get(`${path}/@v/list`)).status).toBe(404)
    expect(await upload(moduleZip('example.test/team/lib', 'v0.2.0'))).toEqual([
      409,
      'there is a module example.test/Team/Lib, which differs only by case',
    ])
  })

  it('lets one of several publishers of a version succeed', async () => {
    const sent = Array.from({ length: 6 }, (_, index) =>
      upload(moduleZip('example.test/race', 'v1.0.0', `module example.test/race\n// ${index}\n`)),
    )
    const statuses = (await Promise.all(sent)).map(([status]) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409])
    expect((await get('example.test/race/@v/list')).text).toBe('v1.0.0\n')
  })

  it('deletes a version and accepts it again', async () => {
    await upload(moduleZip('example.test/gone', 'v1.0.0'))
    await ann.client.delete('/packages/ann/go/example.test%2Fgone/v1.0.0')
    expect((await get('example.test/gone/@v/v1.0.0.zip')).status).toBe(404)
    expect((await upload(moduleZip('example.test/gone', 'v1.0.0')))[0]).toBe(201)
  })

  it('refuses an invalid module, and publishes nothing', async () => {
    const path = 'example.test/bad'
    const at = `${path}@v1.0.0`
    const many = moduleZip(path, 'v1.0.0')
    many.writeUInt16LE(50_001, many.length - 12)
    const refused = [
      [Buffer.from('garbage'), /not a valid zip archive/],
      [moduleZip(path, 'v1.0.0').subarray(0, 300), /not a valid zip archive/],
      [zipOf({ 'go.mod': 'module x' }), /must begin with module@version/],
      [zipOf({}), /must begin with module@version/],
      [zipOf({ [`${at}/a`]: '', [`${path}@v1.0.1/b`]: '' }), /all entries/],
      [zipOf({ [`${at}/a`]: '', [`${at}/A`]: '' }), /differ only by case/],
      [zipOf({ [`${at}/../../etc/passwd`]: '' }), /not a valid zip archive/],
      [zipOf({ [`/${at}/a`]: '' }), /not a valid zip archive/],
      [many, /more than 50000 entries/],
      [zipOf({ [`${at}/go.mod`]: Buffer.alloc(2 * 1024 * 1024) }), /more than 1048576 bytes/],
      [moduleZip(path, 'v1.0.0', 'module example.test/other\n'), /go.mod does not declare/],
      [moduleZip(path, '1.0.0'), /version of the module is invalid/],
      [moduleZip(path, 'v1.0'), /version of the module is invalid/],
      [moduleZip(path, 'v2.0.0'), /version of the module is invalid/],
      [moduleZip(`${path}/v3`, 'v2.0.0'), /version of the module is invalid/],
      [moduleZip('nodot/mod', 'v1.0.0'), /module path is invalid/],
      [moduleZip('example.test/con', 'v1.0.0'), /module path is invalid/],
      [moduleZip('example.test/ü', 'v1.0.0'), /module path is invalid/],
    ] as const
    for (const [body, message] of refused) {
      const answer = await upload(body)
      expect(answer).toEqual([400, expect.stringMatching(message)])
    }
    expect((await upload(moduleZip(path, 'v1.0.0'), 'bob'))[0]).toBe(401)
    expect((await get(`${path}/@v/list`)).status).toBe(404)
  })
})
