import { createHash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'
import { tarOf } from './archives.ts'
import { zipOf } from './zip.ts'

/** A tar archive by bzip2 of info/index.json (tool 1.0 py_0 of noarch), info/files and x. */
const TAR_BZ2 = Buffer.from(
  'QlpoOTFBWSZTWTi6nc0AAOn/gM2QACBQBfeTAKIlCv/332oICDAA+NqGqAekAmTBNGRkYENMjaJg0TSMTUaGgA0AAeoAZqBiiNQYgD0gA0A0yADR+FPf3cBgqQBLYmViASHvXkymMF8sN0yGwSCEQY2Yw8pJJBJhYJ1CKZp+2SWu69Q1nnHWv8WEVInSLc7AHYPQcXEgTUNeYAABzgogAPBFQ2Vu4yN0OiczfrKUk1NQ3ki0ccxAcnsgtUDWkUpMtFQGEeWV1qFQpFQTXJGkF30sdIv7BlfyoZMGicGrxjnearggQcZ1TRUC0gDCgrhOKBK9lq610xSIoGVlTqIyTk14Bg8AZEl6bA3NI8wCAG4u5IpwoSBxdTua',
  'base64',
)
/** The same index.json after 20 MiB of zeros. */
const BOMB = Buffer.from(
  'QlpoOTFBWSZTWQKKthMCg3FfgMyAUAX/kwAiJAr/9996CAgwAPlphqMlPajU0ZGQNA0aZNANNogaQQ0JoxMEYjBMTIxGjBIqmTE00BoAAAAAZKefeYgbQgKGJJAIAEVKoCQkIAET3PBOShC5iKMaQhIQAIaDAW0222NZghUtgs4VeJpYGx9TL3oSeklDBalTiOogGvtaGqCuF6IgkEQv4IKowFhiWODN+HEBlJ61UCgNLHOErpCiArhsNLGEd+0xvuVpHpHvIXCgUg4UXQE5XVRomGEGJjkEUWUSW/ZHS9Jphkc81sDD7BZAq784bEkeaWF2MNMgtSWoJZKIrJWmTHhI6CGLJYp+XxIEhAAj+LuSKcKEgBRVsJg=',
  'base64',
)
/** A package without an index.json. */
const EMPTY = Buffer.from(
  'QlpoOTFBWSZTWWDk/nUAAG/bgMmAYADlgAEAYyWeQAgIIABUNKeppppk0ZBp7UmEkSaDTQANDf+YDoQfWAhE2o9xlK+1AhgYpOAoMI2dAs6wjV7nqC3Zb0hWNzf+aIgGBdyRThQkGDk/nUA=',
  'base64',
)

describeOnBoth('the conda registry', (kind) => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    await server.world.org('guild', { owner: ann, visibility: 'private' })
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/conda`
  const authorization = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`
  async function upload(path: string, body: Buffer, headers: Record<string, string> = { authorization }) {
    const answer = await fetch(`${base()}/${path}`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, await answer.text()] as const
  }
  const condaOf = async (index: object | string, more: Readonly<Record<string, Buffer>> = {}) => {
    const text = typeof index === 'string' ? index : JSON.stringify(index)
    const info = zstdCompressSync(await tarOf({ ...more, 'info/index.json': text }))
    return zipOf({ 'metadata.json': '{"conda_pkg_format_version": 2}', 'info-x.tar.zst': info, 'pkg-x.tar.zst': 'x' })
  }
  const INDEX = { name: 'tool', version: '2.0', build: 'h1_1', build_number: 1, depends: [], subdir: 'linux-64' }
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base()}/${path}`, { headers })
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }
  const repodata = async (path: string) => JSON.parse((await get(`${path}/repodata.json`)).bytes.toString())
  const sums = (bytes: Buffer) => ({
    md5: createHash('md5').update(bytes).digest('hex'),
    sha256: createHash('sha256').update(bytes).digest('hex'),
    size: bytes.length,
  })

  it('lists packages of both kinds by subdir', async () => {
    const conda = await condaOf({ ...INDEX, constrains: ['old <1'], license: 'MIT' })
    expect(await upload('tool-1.0-py_0.tar.bz2', TAR_BZ2)).toEqual([201, ''])
    expect(await upload('tool-2.0-h1_1.conda', conda)).toEqual([201, ''])
    expect(await upload('tool-1.0-py_0.tar.bz2', TAR_BZ2)).toEqual([
      409,
      '{"reason":"Conflict","message":"package file already exists"}',
    ])
    expect(await repodata('noarch')).toEqual({
      info: { subdir: 'noarch' },
      packages: {
        'tool-1.0-py_0.tar.bz2': {
          name: 'tool',
          version: '1.0',
          build: 'py_0',
          build_number: 0,
          depends: ['base >=1'],
          license: 'MIT',
          subdir: 'noarch',
          noarch: 'generic',
          timestamp: 1700000000000,
          ...sums(TAR_BZ2),
        },
      },
      'packages.conda': {},
      removed: [],
      repodata_version: 1,
    })
    expect(await repodata('linux-64')).toMatchObject({
      packages: {},
      'packages.conda': { 'tool-2.0-h1_1.conda': { ...INDEX, constrains: ['old <1'], ...sums(conda) } },
    })
    const index = await get('linux-64/repodata.json')
    expect(index.headers.get('content-type')).toMatch(/^application\/json/)
    const current = await get('linux-64/current_repodata.json', { 'if-none-match': index.headers.get('etag')! })
    expect(current.status).toBe(304)
    expect(zstdDecompressSync((await get('linux-64/repodata.json.zst')).bytes).equals(index.bytes)).toBe(true)
    expect((await get('noarch/tool-1.0-py_0.tar.bz2')).bytes.equals(TAR_BZ2)).toBe(true)
    expect((await get('linux-64/tool-2.0-h1_1.conda')).bytes.equals(conda)).toBe(true)
    expect((await get('linux-64/tool-1.0-py_0.tar.bz2')).status).toBe(404)
    expect((await get('osx-64/repodata.json')).status).toBe(404)
    await ann.client.delete('/packages/ann/conda/tool/2.0')
    expect((await get('linux-64/repodata.json')).status).toBe(404)
  })

  it('keeps channels apart, and shows the subdir noarch also without packages', async () => {
    expect((await upload('team/dev/tool-1.0-py_0.tar.bz2', TAR_BZ2))[0]).toBe(201)
    expect(Object.keys((await repodata('team/dev/noarch')).packages)).toEqual(['tool-1.0-py_0.tar.bz2'])
    expect((await get('team/dev/noarch/tool-1.0-py_0.tar.bz2')).status).toBe(200)
    const empty = await get('team/noarch/repodata.json')
    expect([empty.status, JSON.parse(empty.bytes.toString())]).toMatchObject([
      200,
      { packages: {}, 'packages.conda': {} },
    ])
    expect(zstdDecompressSync((await get('team/noarch/repodata.json.zst')).bytes).equals(empty.bytes)).toBe(true)
    expect((await get('team/linux-64/repodata.json')).status).toBe(404)
  })

  it('needs credentials for a private owner and to publish', async () => {
    const status = (headers: Record<string, string>) =>
      fetch(`${base('guild')}/noarch/repodata.json`, { headers }).then((answer) => answer.status)
    expect(await status({})).toBe(401)
    const scoped = async (scope: string) => ({ authorization: `Bearer ${await ann.token(scope)}` })
    expect(await status(await scoped('read:repository'))).toBe(401)
    expect(await status(await scoped('read:package'))).toBe(200)
    const conda = await condaOf({ ...INDEX, name: 'other' })
    expect((await upload('x.conda', conda, {}))[0]).toBe(401)
    expect((await upload('x.conda', conda, await scoped('read:package')))[0]).toBe(401)
    expect((await upload('x.conda', conda, await scoped('write:package')))[0]).toBe(201)
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const zeros = Buffer.alloc(20 * 1024 * 1024)
    const refused = [
      ['bad.tar.bz2', Buffer.from('garbage'), /./],
      ['bad.tar.bz2', Buffer.alloc(0), /no info\/index.json|archive/],
      ['bad.tar.bz2', TAR_BZ2.subarray(0, 60), /./],
      ['bad.tar.bz2', BOMB, /archive|no info\/index.json/],
      ['bad.tar.bz2', EMPTY, /no info\/index.json/],
      ['bad.conda', Buffer.from('garbage'), /not a valid zip/],
      ['bad.conda', zipOf({ 'metadata.json': '{}' }), /no info archive/],
      ['bad.conda', zipOf({ 'info-x.tar.zst': 'garbage' }), /archive|no info\/index.json/],
      ['bad.conda', await condaOf(INDEX, { zeros }), /more than 16777216 bytes/],
      ['bad.conda', await condaOf('{'), /name of the package/],
      ['bad.conda', await condaOf({ ...INDEX, name: '../bad' }), /name of the package/],
      ['bad.conda', await condaOf({ ...INDEX, name: 'bad', version: '1-0' }), /version of the package/],
      ['bad.conda', await condaOf({ ...INDEX, name: 'bad', build: 'a/b' }), /build of the package/],
      ['bad.conda', await condaOf({ ...INDEX, name: 'bad', subdir: '..' }), /subdir of the package/],
      [
        'bad.conda',
        await condaOf({ ...INDEX, name: 'bad', depends: Array(1001).fill('x') }),
        /1000 entries in depends/,
      ],
      ['%2e%2e%2fx/bad.conda', await condaOf({ ...INDEX, name: 'bad' }), /name of the channel/],
    ] as const
    for (const [path, body, message] of refused) {
      const [status, text] = await upload(path, body)
      expect([path, status, JSON.parse(text)]).toEqual([
        path,
        400,
        { reason: 'Bad Request', message: expect.stringMatching(message) },
      ])
    }
    expect((await ann.client.get('/packages/ann/conda/bad')).status).toBe(404)
  })
})
