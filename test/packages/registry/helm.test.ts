import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

describeOnBoth('the Helm registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/helm`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function post(path: string, body: Buffer | string | FormData) {
    const sent = Buffer.isBuffer(body) ? new Uint8Array(body) : body
    const answer = await fetch(`${base()}/${path}`, { method: 'POST', headers: { authorization }, body: sent })
    return [answer.status, await answer.json()] as const
  }
  const chartOf = async (yaml: string, folder = 'app') =>
    gzipSync(await tarOf({ [`${folder}/values.yaml`]: 'a: 1\n', [`${folder}/Chart.yaml`]: yaml }))
  const chart = (name: string, version: string, more = '') =>
    chartOf(`apiVersion: v2\nname: ${name}\nversion: ${version}\n${more}`)
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }
  const index = async () => parse((await get('index.yaml')).bytes.toString())

  it('lists charts in the index', async () => {
    expect(await index()).toMatchObject({ apiVersion: 'v1', entries: {} })
    const first = await chart('web-app', '1.0.0-rc.1', 'appVersion: 1.16\ndescription: "A: b"\nkeywords: [x]\n')
    expect(await post('api/charts', first)).toEqual([201, { saved: true }])
    const form = new FormData()
    form.append('chart', new Blob([new Uint8Array(await chart('web-app', '1.1.0+b1'))]), 'x.tgz')
    expect((await post('api/charts', form))[0]).toBe(201)
    expect(await post('api/charts', first)).toEqual([409, { error: 'package version already exists' }])
    const found = await index()
    expect(found).toMatchObject({
      entries: {
        'web-app': [
          {
            apiVersion: 'v2',
            name: 'web-app',
            version: '1.0.0-rc.1',
            appVersion: '1.16',
            description: 'A: b',
            keywords: ['x'],
            urls: [`${base()}/web-app-1.0.0-rc.1.tgz`],
            digest: sha256Hex(first),
          },
          { version: '1.1.0+b1', urls: [`${base()}/web-app-1.1.0%2Bb1.tgz`] },
        ],
      },
      serverInfo: { contextPath: '/api/packages/ann/helm' },
    })
    expect((await get('web-app-1.0.0-rc.1.tgz')).bytes.equals(first)).toBe(true)
    expect((await fetch(found.entries['web-app'][1].urls[0])).status).toBe(200)
    expect((await get('web-app-9.0.0.tgz')).status).toBe(404)
    const etag = (await get('index.yaml')).headers.get('etag')
    expect((await fetch(`${base()}/index.yaml`, { headers: { 'if-none-match': etag! } })).status).toBe(304)
    await ann.client.delete('/packages/ann/helm/web-app/1.0.0-rc.1')
    expect((await index()).entries['web-app']).toMatchObject([{ version: '1.1.0+b1' }])
  })

  it('lists no members that make clients refuse the whole index', async () => {
    const odd =
      'x-own: 1\n__proto__: {a: 1}\ndescription: {a: 1}\nkeywords: [a, 2, true]\nsources: [[]]\nmaintainers: me\n' +
      'kubeVersion: 1.2\ndeprecated: "no"\nannotations: {a: b, c: [d], e: 1}\n' +
      'dependencies: [{name: d, version: 2, own: 1, import-values: [x, {child: a, parent: b}]}]\n'
    expect((await post('api/charts', await chart('odd', '1.0.0', odd)))[0]).toBe(201)
    const [{ urls, created, digest, ...entry }] = (await index()).entries.odd
    expect([urls.length, typeof created, typeof digest]).toEqual([1, 'string', 'string'])
    expect(entry).toEqual({
      apiVersion: 'v2',
      name: 'odd',
      version: '1.0.0',
      kubeVersion: '1.2',
      keywords: ['a', '2', 'true'],
      annotations: { a: 'b', e: '1' },
      dependencies: [{ name: 'd', version: '2', 'import-values': ['x', { child: 'a', parent: 'b' }] }],
    })
  })

  it('stores provenance files of charts', async () => {
    const signed = await chart('signed', '1.0.0')
    const provenance = (file: string, bytes: Buffer) =>
      `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nname: signed\n\n...\nfiles:\n  ${file}: sha256:${sha256Hex(bytes)}\n-----BEGIN PGP SIGNATURE-----\n`
    const text = provenance('signed-1.0.0.tgz', signed)
    expect((await post('api/prov', text))[0]).toBe(404)
    await post('api/charts', signed)
    expect(await post('api/prov', provenance('signed-1.0.0.tgz', Buffer.from('x')))).toEqual([
      400,
      { error: 'the provenance file is of another chart' },
    ])
    expect((await post('api/prov', text))[0]).toBe(201)
    expect((await get('signed-1.0.0.tgz.prov')).bytes.toString()).toBe(text)

    const second = await chart('signed', '2.0.0')
    const form = (named: string) => {
      const parts = new FormData()
      parts.append('chart', new Blob([new Uint8Array(second)]), 'x.tgz')
      parts.append('prov', new Blob([named]), 'x.tgz.prov')
      return parts
    }
    expect((await post('api/charts', form(text)))[0]).toBe(400)
    expect((await get('signed-2.0.0.tgz')).status).toBe(404)
    expect((await post('api/charts', form(provenance('signed-2.0.0.tgz', second))))[0]).toBe(201)
    expect((await get('signed-2.0.0.tgz.prov')).status).toBe(200)
  })

  it('refuses an invalid chart, and publishes nothing', async () => {
    const bomb = gzipSync(await tarOf({ 'bad/Chart.lock': Buffer.alloc(300 * 1024 * 1024) }))
    const aliases = `a: &a [x, x]\n${Array.from({ length: 30 }, (_, index) => `b${index}: &b${index} [*${index === 0 ? 'a' : `b${index - 1}`}, *${index === 0 ? 'a' : `b${index - 1}`}]`).join('\n')}`
    expect((await post('api/charts', await chart('case', '1.0.0')))[0]).toBe(201)
    const refused = [
      [Buffer.from('garbage'), /archive/],
      [Buffer.alloc(0), /no Chart.yaml/],
      [(await chart('bad', '1.0.0')).subarray(0, 60), /archive cannot be read/],
      [gzipSync(await tarOf({ 'Chart.yaml': 'name: bad' })), /no Chart.yaml/],
      [gzipSync(await tarOf({ 'bad/Chart.yaml': '->/etc/passwd' })), /no Chart.yaml/],
      [bomb, /more than 200 times its size/],
      [await chartOf('a: ['), /not valid YAML/],
      [await chartOf(aliases), /not valid YAML/],
      [await chartOf('x'.repeat(70_000)), /more than 65536 bytes/],
      [await chartOf('name: bad\nversion: 1.0.0'), /apiVersion/],
      [await chart('../bad', '1.0.0'), /name of the chart/],
      [await chart('bad', '1.0'), /version of the chart/],
      [await chart('bad', '=1.0.0'), /version of the chart/],
      [await chart('CASE', '2.0.0'), /there is a package called case already/],
    ] as const
    for (const [body, message] of refused)
      expect(await post('api/charts', body)).toEqual([400, { error: expect.stringMatching(message) }])
    expect((await post('api/charts', new FormData()))[0]).toBe(400)
    expect((await post('api/prov', 'x'))[0]).toBe(400)
    expect((await fetch(`${base()}/api/charts`, { method: 'POST', body: 'x' })).status).toBe(401)
    expect((await index()).entries).not.toHaveProperty('bad')
  })
})
