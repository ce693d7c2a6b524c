import { createHash, createVerify } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

describeOnBoth('the Alpine registry', (kind) => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer({ on: kind })
    for (const name of ['ann', 'bob']) await server.world.user(name)
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/alpine`
  const as = (owner: string) => ({ authorization: `Basic ${Buffer.from(`${owner}:${PASSWORD}`).toString('base64')}` })
  async function upload(body: Buffer, repository = 'v3/main', owner = 'ann') {
    const headers = as(owner)
    const answer = await fetch(`${base()}/${repository}`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const controlOf = async (fields: Readonly<Record<string, string>>, more = '') => {
    const all = { pkgname: 'tool', pkgver: '1.0-r0', arch: 'x86_64', size: '4096', ...fields }
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`)
    return gzipSync(await tarOf({ '.PKGINFO': `# made by a test\n${lines.join('')}${more}` }))
  }
  const data = gzipSync(Buffer.alloc(2048))
  const packageOf = async (fields: Readonly<Record<string, string>> = {}, more = '') =>
    Buffer.concat([await controlOf(fields, more), data])
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }
  const INDEX = 'APKINDEX.tar.gz'
  const index = async (folder: string) => gunzipSync((await get(`${folder}/${INDEX}`)).bytes).toString('latin1')

  it('lists packages in an index that is signed', async () => {
    const control = await controlOf(
      { pkgdesc: 'A tool', url: 'https://example.test', license: 'MIT', origin: 'tool', builddate: '1700000000' },
      'depend = so:libc.musl-x86_64.so.1\ndepend = base>=1\nprovides = cmd:tool=1.0-r0\n',
    )
    const signature = gzipSync(await tarOf({ '.SIGN.RSA.builder.rsa.pub': 'signature' }))
    const first = Buffer.concat([signature, control, data])
    expect(await upload(first)).toEqual([201, ''])
    expect(await upload(first)).toEqual([409, 'package file already exists'])
    const checksum = createHash('sha1').update(control).digest('base64')
    expect(await index('v3/main/x86_64')).toContain(
      `C:Q1${checksum}\nP:tool\nV:1.0-r0\nA:x86_64\nI:4096\nT:A tool\nU:https://example.test\nL:MIT\no:tool\n` +
        `t:1700000000\nD:so:libc.musl-x86_64.so.1 base>=1\np:cmd:tool=1.0-r0\nS:${first.length}\n`,
    )
    const { bytes } = await get(`v3/main/x86_64/${INDEX}`)
    const key = await get('key')
    const name = /filename="(ann@[\da-f]{64}\.rsa\.pub)"/.exec(key.headers.get('content-disposition') ?? '')?.[1]
    const second = bytes.indexOf(Buffer.of(0x1f, 0x8b, 8), 1)
    const signed = gunzipSync(bytes.subarray(0, second))
    expect(signed.toString('latin1', 0, 100).replaceAll('\0', '')).toBe(`.SIGN.RSA.${name}`)
    const size = Number.parseInt(signed.toString('latin1', 124, 135), 8)
    const verifier = createVerify('RSA-SHA1').update(bytes.subarray(second))
    expect(verifier.verify(key.bytes.toString(), signed.subarray(512, 512 + size))).toBe(true)
    // Both streams are one archive: no end of archive between them.
    expect(signed.length).toBe(512 + Math.ceil(size / 512) * 512)
    expect((await get('v3/main/x86_64/tool-1.0-r0.apk')).bytes.equals(first)).toBe(true)
  })

  it('lists packages of no architecture under every one', async () => {
    await upload(await packageOf({ pkgname: 'tool-doc', arch: 'noarch' }), 'v3/any')
    expect(await index('v3/any/aarch64')).toContain('P:tool-doc\n')
    await upload(await packageOf(), 'v3/any')
    const listed = await index('v3/any/x86_64')
    for (const name of ['tool', 'tool-doc']) expect(listed).toContain(`P:${name}\n`)
    for (const arch of ['x86_64', 'noarch', 'armv7'])
      expect((await get(`v3/any/${arch}/tool-doc-1.0-r0.apk`)).status).toBe(200)
    expect((await get('v3/any/armv7/tool-1.0-r0.apk')).status).toBe(404)
  })

  it('deletes packages, and signs by a new key after the former one was deleted', async () => {
    for (const pkgver of ['1.0-r0', '1.1_rc1-r2']) await upload(await packageOf({ pkgver }), 'v3/gone')
    const key = (await get('key')).bytes.toString()
    const remove = (path: string, owner = 'ann') =>
      fetch(`${base()}/${path}`, { method: 'DELETE', headers: as(owner) }).then(({ status }) => status)
    expect(await remove('v3/gone/x86_64/tool-1.0-r0.apk')).toBe(204)
    expect(await remove('v3/gone/x86_64/tool-1.0-r0.apk')).toBe(404)
    expect((await index('v3/gone/x86_64')).match(/^V:.*$/gm)).toEqual(['V:1.1_rc1-r2'])
    const former = (await get(`v3/gone/x86_64/${INDEX}`)).bytes
    expect(await remove('key', 'bob')).toBe(401)
    expect(await remove('key')).toBe(204)
    expect((await get('key')).bytes.toString()).not.toBe(key)
    expect((await get(`v3/gone/x86_64/${INDEX}`)).bytes.equals(former)).toBe(false)
    expect(await remove('v3/gone/x86_64/tool-1.1_rc1-r2.apk')).toBe(204)
    expect((await get(`v3/gone/x86_64/${INDEX}`)).status).toBe(404)
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const whole = await packageOf()
    const refused = [
      [Buffer.from('garbage'), /not an Alpine package/],
      [Buffer.alloc(0), /not an Alpine package/],
      [whole.subarray(0, 40), /unexpected end|not an Alpine/],
      [gzipSync(Buffer.alloc(20 * 1024 * 1024)), /larger than/],
      [Buffer.concat([data, data]), /no .PKGINFO/],
      [await packageOf({ pkgname: '../tool' }), /name of the package/],
      [await packageOf({ pkgver: 'one' }), /version of the package/],
      [await packageOf({ pkgver: `1${'.1'.repeat(200)}` }), /version of the package/],
      [await packageOf({ arch: 'x/y' }), /architecture of the package/],
    ] as const
    for (const [body, message] of refused)
      expect(await upload(body, 'v3/bad')).toEqual([400, expect.stringMatching(message)])
    expect((await upload(whole, '.v3/bad'))[0]).toBe(400)
    expect((await upload(whole, 'v3/bad', 'bob'))[0]).toBe(401)
    expect((await get(`v3/bad/x86_64/${INDEX}`)).status).toBe(404)
  })
})
