import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { createMessage, readCleartextMessage, readKey, readSignature, verify } from 'openpgp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'
import { arOf, tarOf } from './archives.ts'

/** A control archive whose file has the fields `Package: xz`, `Version: 1` and `Architecture: all`. */
const XZ_CONTROL =
  '/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AINdABcLyOfZ5dHD1ZV9QtvcDlxs1FkS8hWWqhUyNoMCPUyGF2H1YI0/PfUVOmphzN3lx+QAiNh9y1BVPIXbbsuZ+PoMf8iyQaPa7tbgksvfQbZfw+cEBoB4TdXhcJURlIBKfg+I1c05a7SMnOAygGYj0yy68RKfWeup7q6q/AYCh2z0iHMAAAB0WK96K1PruQABnwGAUAAAcMHgk7HEZ/sCAAAAAARZWg=='

const hex = (algorithm: string, bytes: Buffer): string => createHash(algorithm).update(bytes).digest('hex')

describeOnBoth('the Debian registry', (kind) => {
  let server: TestServer

  beforeAll(async () => {
    server = await startServer({ on: kind })
    await server.world.user('ann')
    await server.world.user('bob')
    await server.world.user('eve')
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/debian`
  const as = (owner: string) => ({ authorization: `Basic ${Buffer.from(`${owner}:${PASSWORD}`).toString('base64')}` })
  async function upload(body: Buffer, group = 'stable/main', owner = 'ann') {
    const answer = await fetch(`${base(owner)}/pool/${group}/upload`, {
      method: 'PUT',
      headers: as(owner),
      body: new Uint8Array(body),
    })
    return [answer.status, (await answer.text()).trim()] as const
  }
  const deb = (control: Buffer, name = 'control.tar.gz') =>
    arOf({ 'debian-binary': Buffer.from('2.0\n'), [name]: control, 'data.tar.gz': gzipSync(Buffer.alloc(1024)) })
  const packageOf = async (fields: Record<string, string>) => {
    const all = { Package: 'tool', Version: '1.0', Architecture: 'amd64', Maintainer: 'A <a@example.test>', ...fields }
    const control = Object.entries(all).map(([name, value]) => `${name}: ${value}\n`)
    return deb(gzipSync(await tarOf({ './': '', './control': control.join('') })))
  }
  const get = async (path: string, owner = 'ann') => {
    const answer = await fetch(`${base(owner)}/${path}`)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), headers: answer.headers }
  }
  const text = async (path: string, owner = 'ann') => (await get(path, owner)).bytes.toString()

  it('lists packages in signed indexes', async () => {
    const first = await packageOf({ Version: '1:2.0-1', Description: 'A tool\n with a long text\n .' })
    const second = await packageOf({ Package: 'doc', Architecture: 'all' })
    expect(await upload(first)).toEqual([201, ''])
    expect(await upload(second)).toEqual([201, ''])
    expect(await upload(first)).toEqual([409, 'package file already exists'])
    expect((await upload(first, 'testing/main'))[0]).toBe(201)
    const packages = await get('dists/stable/main/binary-amd64/Packages')
    expect(packages.bytes.toString()).toBe(
      `Package: tool\nVersion: 1:2.0-1\nArchitecture: amd64\nMaintainer: A <a@example.test>\n` +
        `Description: A tool\n with a long text\n .\nFilename: pool/stable/main/tool_1:2.0-1_amd64.deb\n` +
        `Size: ${first.length}\nMD5sum: ${hex('md5', first)}\nSHA1: ${hex('sha1', first)}\n` +
        `SHA256: ${hex('sha256', first)}\nSHA512: ${hex('sha512', first)}\n`,
    )
    const zipped = await get('dists/stable/main/binary-amd64/Packages.gz')
    expect(gunzipSync(zipped.bytes).equals(packages.bytes)).toBe(true)
    expect(await text('dists/stable/main/binary-all/Packages')).toContain('Package: doc\n')
    const release = await text('dists/stable/Release')
    for (const line of [
      'Suite: stable',
      'Codename: stable',
      'Components: main',
      'Architectures: all amd64',
      'Acquire-By-Hash: yes',
      ` ${hex('sha256', packages.bytes)} ${packages.bytes.length} main/binary-amd64/Packages`,
      ` ${hex('md5', zipped.bytes)} ${zipped.bytes.length} main/binary-amd64/Packages.gz`,
    ])
      expect(release.split('\n')).toContain(line)
    expect(release).toMatch(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/m)

    const verificationKeys = await readKey({ armoredKey: await text('repository.key') })
    const clear = await readCleartextMessage({ cleartextMessage: await text('dists/stable/InRelease') })
    expect(`${clear.getText()}\n`.trimEnd()).toBe(release.trimEnd())
    const detached = await readSignature({ armoredSignature: await text('dists/stable/Release.gpg') })
    const signed = [
      await verify({ message: clear, verificationKeys }),
      await verify({
        message: await createMessage({ binary: Buffer.from(release) }),
        signature: detached,
        verificationKeys,
      }),
    ]
    for (const { signatures } of signed) expect(await signatures[0]!.verified).toBe(true)

    const file = await get('pool/stable/main/tool_1%3a2.0-1_amd64.deb')
    expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/vnd.debian.binary-package'])
    expect(file.bytes.equals(first)).toBe(true)
  })

  it('serves files of former indexes by their sums, and deletes the index of an empty distribution', async () => {
    await upload(await packageOf({}), 'old/main')
    const former = await get('dists/old/main/binary-amd64/Packages.gz')
    await upload(await packageOf({ Version: '1.1' }), 'old/main')
    expect((await get('dists/old/main/binary-amd64/Packages.gz')).bytes.equals(former.bytes)).toBe(false)
    for (const [field, algorithm] of [
      ['SHA256', 'sha256'],
      ['MD5Sum', 'md5'],
      ['SHA512', 'sha512'],
    ] as const) {
      const path = `dists/old/main/binary-amd64/by-hash/${field}/${hex(algorithm, former.bytes)}`
      expect((await get(path)).bytes.equals(former.bytes)).toBe(true)
    }
    // Within a second, which is the precision of Last-Modified, an index may change.
    const since = new Date(Date.now() + 60_000).toUTCString()
    const again = await fetch(`${base()}/dists/old/InRelease`, { headers: { 'if-modified-since': since } })
    expect([again.status, again.headers.get('last-modified')]).toEqual([200, null])
    expect((await get(`dists/new/main/binary-amd64/by-hash/SHA1/${hex('sha1', former.bytes)}`)).status).toBe(404)
    const remove = (version: string) =>
      fetch(`${base()}/pool/old/main/tool/${version}/amd64`, { method: 'DELETE', headers: as('ann') })
    expect((await remove('1.0')).status).toBe(204)
    expect((await remove('1.0')).status).toBe(404)
    expect(await text('dists/old/Release')).toContain('Suite: old')
    expect((await remove('1.1')).status).toBe(204)
    expect((await get('dists/old/Release')).status).toBe(404)
    expect((await get('dists/old/InRelease', 'eve')).status).toBe(404)
  })

  it('signs by a new key after the former one was deleted', async () => {
    await upload(await packageOf({}), 'stable/main', 'bob')
    const former = [await text('repository.key', 'bob'), await text('dists/stable/InRelease', 'bob')]
    const remove = (owner: string) => fetch(`${base('bob')}/repository.key`, { method: 'DELETE', headers: as(owner) })
    expect((await remove('eve')).status).toBe(401)
    expect((await remove('bob')).status).toBe(204)
    const armoredKey = await text('repository.key', 'bob')
    const clear = await text('dists/stable/InRelease', 'bob')
    expect(former).not.toContain(armoredKey)
    expect(former).not.toContain(clear)
    const { signatures } = await verify({
      message: await readCleartextMessage({ cleartextMessage: clear }),
      verificationKeys: await readKey({ armoredKey }),
    })
    expect(await signatures[0]!.verified).toBe(true)
  })

  it('reads control archives of every compression', async () => {
    const control = (name: string) => tarOf({ control: `Package: ${name}\nVersion: 1\nArchitecture: all\n` })
    const sent = [
      deb(await control('plain'), 'control.tar'),
      deb(zstdCompressSync(await control('zstd')), 'control.tar.zst'),
      deb(Buffer.from(XZ_CONTROL, 'base64'), 'control.tar.xz'),
    ]
    for (const body of sent) expect(await upload(body, 'forms/main')).toEqual([201, ''])
    const listed = await text('dists/forms/main/binary-all/Packages')
    expect(listed.match(/^Package: .*$/gm)).toEqual(['Package: plain', 'Package: zstd', 'Package: xz'])
  })

  it('refuses an invalid package, and publishes nothing', async () => {
    const archive = (control: string) => tarOf({ './control': control }).then((tar) => deb(gzipSync(tar)))
    const whole = await packageOf({})
    const refused = [
      [Buffer.from('garbage'), /not a Debian package/],
      [Buffer.alloc(0), /not a Debian package/],
      [whole.subarray(0, 150), /too large/],
      [deb(Buffer.from('x'), 'other.tar.gz'), /not a Debian package/],
      [deb(gzipSync(Buffer.alloc(20 * 1024 * 1024))), /larger than|too large|more than/i],
      [deb(gzipSync(await tarOf({ './conffiles': '' }))), /no control file/],
      [await packageOf({ Package: '../x' }), /name of the package/],
      [await packageOf({ Package: 'X' }), /name of the package/],
      [await packageOf({ Version: 'one' }), /version of the package/],
      [await packageOf({ Version: '1/../2' }), /version of the package/],
      [await packageOf({ Version: '1_2' }), /version of the package/],
      [await packageOf({ Architecture: 'a/b' }), /architecture/],
      [await archive('Package: a1\nVersion: 1\n\nPackage: b1\n'), /control file is invalid/],
      [await archive('Package: a1\nPackage: b1\nVersion: 1\nArchitecture: all\n'), /control file is invalid/],
    ] as const
    for (const [body, message] of refused)
      expect(await upload(body, 'bad/main')).toEqual([400, expect.stringMatching(message)])
    expect((await upload(whole, '.bad/main'))[0]).toBe(400)
    expect((await upload(whole, 'bad/ma in'))[0]).toBe(400)
    expect((await get('dists/bad/Release')).status).toBe(404)
    const forged = await archive('Package: forged\nVersion: 1\nArchitecture: all\nSHA256: 00\nFilename: ../x\n')
    await upload(forged, 'forged/main')
    const listed = await text('dists/forged/main/binary-all/Packages')
    expect(listed.match(/^(?:Filename|SHA256): .*$/gm)).toEqual([
      'Filename: pool/forged/main/forged_1_all.deb',
      `SHA256: ${hex('sha256', forged)}`,
    ])
  })
})
