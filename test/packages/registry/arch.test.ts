import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createMessage, readKey, readSignature, verify } from 'openpgp'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { tarOf } from './archives.ts'

/** A package by xz whose .PKGINFO has the name `byxz`, the version `1.0-1` and the architecture `any`. */
const BY_XZ =
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AIJdABcUBWR8XEPzvMKvBiuN2X0cTRQuy9tNKkD1MWEoB9VAu9aj/UL+aBB1Q4GeuZy8VPVZGBJTsWR56v5+A7s1pcR+8ZXrjdueeJwsuGSSQdUcQ9PJpdZYjck058jsSFMrUX9r3jma+aZta2tuiJD4pHPX4+RLE/KlUecHYRxlcSng/gAAAAD6pNCuNjmbaAABngGAUAAA1RK8WLHEZ/sCAAAAAARZWg=='

describeOnBoth('the Arch registry', (kind) => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer({ on: kind })
    for (const name of ['ann', 'bob']) await server.world.user(name)
  })
  afterAll(() => server.close())

  const base = () => `${server.url}/api/packages/ann/arch`
  const as = (owner: string) => ({ authorization: `Basic ${Buffer.from(`${owner}:${PASSWORD}`).toString('base64')}` })
  async function upload(body: Buffer, repository = 'core', owner = 'ann') {
    const headers = as(owner)
    const answer = await fetch(`${base()}/${repository}`, { method: 'PUT', headers, body: new Uint8Array(body) })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const infoOf = (fields: Readonly<Record<string, string>>, more = ''): string => {
    const all = { pkgname: 'tool', pkgver: '1:1.0-1', arch: 'x86_64', size: '4096', ...fields }
    return `# made by a test\n${Object.entries(all)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join('')}${more}`
  }
  const packageOf = async (fields: Readonly<Record<string, string>> = {}, more = '') =>
    zstdCompressSync(
      await tarOf({ '.PKGINFO': infoOf(fields, more), '.MTREE': 'x', 'usr/': '', 'usr/bin/tool': '#!/bin/sh\n' }),
    )
  const get = async (path: string) => {
    const answer = await fetch(`${base()}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  async function database(path: string): Promise<Record<string, string>> {
    const files: Record<string, string> = {}
    const tar = extract()
    tar.end(gunzipSync((await get(path)).bytes))
    for await (const entry of tar) {
      const chunks: Buffer[] = []
      for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk)
      files[entry.header.name] = Buffer.concat(chunks).toString()
    }
    return files
  }
  const versions = async (path: string): Promise<string[]> =>
    Object.keys(await database(path)).flatMap((name) => (name.endsWith('/desc') ? [name.slice(0, -5)] : []))
  async function isSigned(bytes: Buffer, signature: Buffer): Promise<boolean> {
    const { signatures } = await verify({
      message: await createMessage({ binary: bytes }),
      signature: await readSignature({ binarySignature: signature }),
      verificationKeys: await readKey({ armoredKey: (await get('repository.key')).bytes.toString() }),
    })
    return signatures[0]!.verified.catch(() => false)
  }

  it('lists packages in databases that are signed', async () => {
    const first = await packageOf(
      { pkgbase: 'tools', pkgdesc: 'A tool' },
      'license = MIT\ndepend = glibc\ndepend = base>=1\n',
    )
    expect(await upload(first)).toEqual([201, ''])
    expect(await upload(first)).toEqual([409, 'package file already exists'])
    const name = 'tool-1:1.0-1-x86_64.pkg.tar.zst'
    const signature = (await get(`core/x86_64/${name}.sig`)).bytes
    const files = await database('core/x86_64/core.files')
    expect(files['tool-1:1.0-1/desc']).toBe(
      [
        ['FILENAME', name],
        ['CSIZE', String(first.length)],
        ['MD5SUM', createHash('md5').update(first).digest('hex')],
        ['SHA256SUM', createHash('sha256').update(first).digest('hex')],
        ['PGPSIG', signature.toString('base64')],
        ['NAME', 'tool'],
        ['BASE', 'tools'],
        ['VERSION', '1:1.0-1'],
        ['DESC', 'A tool'],
        ['ISIZE', '4096'],
        ['LICENSE', 'MIT'],
        ['ARCH', 'x86_64'],
        ['DEPENDS', 'glibc\nbase>=1'],
      ]
        .map(([section, value]) => `%${section}%\n${value}\n\n`)
        .join(''),
    )
    expect(files['tool-1:1.0-1/files']).toBe('%FILES%\nusr/\nusr/bin/tool\n')
    expect(await database('core/x86_64/any-name.db')).toEqual({
      'tool-1:1.0-1/': '',
      'tool-1:1.0-1/desc': files['tool-1:1.0-1/desc'],
    })
    expect((await get(`core/x86_64/${name}`)).bytes.equals(first)).toBe(true)
    expect(await isSigned(first, signature)).toBe(true)
    for (const path of ['core/x86_64/core.db', 'core/x86_64/core.files.tar.gz'])
      expect(await isSigned((await get(path)).bytes, (await get(`${path}.sig`)).bytes)).toBe(true)
  })

  it('lists only the newest version, and packages of every architecture', async () => {
    for (const pkgver of ['1.10-1', '1.9-1', '1.10rc1-1', '1.10-1.1'])
      await upload(await packageOf({ pkgver }), 'extra')
    expect(await versions('extra/x86_64/extra.db')).toEqual(['tool-1.10-1.1'])
    expect((await get('extra/x86_64/tool-1.9-1-x86_64.pkg.tar.zst')).status).toBe(200)
    await upload(await packageOf({ pkgname: 'doc', pkgver: '1-1', arch: 'any' }), 'extra')
    expect((await versions('extra/x86_64/extra.db')).toSorted()).toEqual(['doc-1-1', 'tool-1.10-1.1'])
    expect(await versions('extra/aarch64/extra.db')).toEqual(['doc-1-1'])
    expect((await get('extra/x86_64/doc-1-1-any.pkg.tar.zst')).status).toBe(200)
    const remove = (version: string) =>
      fetch(`${base()}/extra/tool/${version}/x86_64`, { method: 'DELETE', headers: as('ann') })
    expect((await remove('1.10-1.1')).status).toBe(204)
    expect((await remove('1.10-1.1')).status).toBe(404)
    expect(await versions('extra/x86_64/extra.db')).toContain('tool-1.10-1')
  })

  it('signs packages by a new key after the former one was deleted', async () => {
    const body = await packageOf({ pkgname: 'resigned' })
    await upload(body, 'keys')
    const path = 'keys/x86_64/resigned-1:1.0-1-x86_64.pkg.tar.zst.sig'
    const former = (await get(path)).bytes
    await fetch(`${base()}/repository.key`, { method: 'DELETE', headers: as('ann') })
    expect(await isSigned(body, former)).toBe(false)
    const desc = (await database('keys/x86_64/keys.db'))['resigned-1:1.0-1/desc']
    const signature = (await get(path)).bytes
    expect(desc).toContain(`%PGPSIG%\n${signature.toString('base64')}\n`)
    expect(await isSigned(body, signature)).toBe(true)
  })

  it('reads packages of every compression', async () => {
    const sent = [
      gzipSync(await tarOf({ '.PKGINFO': infoOf({ pkgname: 'bygzip', arch: 'any' }) })),
      await tarOf({ '.PKGINFO': infoOf({ pkgname: 'plain', arch: 'any' }) }),
      Buffer.from(BY_XZ, 'base64'),
    ]
    for (const body of sent) expect(await upload(body, 'forms')).toEqual([201, ''])
    expect(await versions('forms/x86_64/forms.db')).toEqual(['bygzip-1:1.0-1', 'plain-1:1.0-1', 'byxz-1.0-1'])
    expect((await get('forms/any/byxz-1.0-1-any.pkg.tar.xz')).status).toBe(200)
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const whole = await packageOf()
    const refused = [
      [Buffer.from('garbage'), /archive cannot be read/],
      [Buffer.alloc(0), /no .PKGINFO/],
      [whole.subarray(0, 60), /archive cannot be read/],
      [gzipSync(await tarOf({ 'a/.PKGINFO': infoOf({}) })), /no .PKGINFO/],
      [gzipSync(await tarOf({ '.PKGINFO': infoOf({}), '../../etc/passwd': '' })), /path in the package/],
      [gzipSync(await tarOf({ '.PKGINFO': infoOf({}), 'a\n%NAME%': '' })), /path in the package/],
      [gzipSync(await tarOf({ '.PKGINFO': Buffer.alloc(300_000, 'x') })), /more than 262144 bytes/],
      [await packageOf({ pkgname: '../tool' }), /name of the package/],
      [await packageOf({ pkgver: '1.0' }), /package version is invalid/],
      [await packageOf({ arch: 'x/y' }), /architecture of the package/],
      [Buffer.concat([Buffer.from(BY_XZ, 'base64').subarray(0, 40), Buffer.alloc(100)]), /./],
    ] as const
    await upload(await packageOf({ pkgname: 'Case' }), 'case')
    expect(await upload(await packageOf({ pkgname: 'case' }), 'case')).toEqual([400, expect.stringContaining('Case')])
    for (const [body, message] of refused)
      expect(await upload(body, 'bad')).toEqual([400, expect.stringMatching(message)])
    expect((await upload(whole, '.bad'))[0]).toBe(400)
    expect((await upload(whole, 'bad', 'bob'))[0]).toBe(401)
    expect((await get('bad/x86_64/bad.db')).status).toBe(404)
  })
})
