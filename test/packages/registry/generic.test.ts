import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { sha256Hex } from '../../../src/core/platform/crypto/crypto.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { type Organization, PASSWORD, type Person } from '../../harness/world.ts'

const CHALLENGE = 'Basic realm="Ingot Package API"'
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})

describeOnBoth('the generic registry', (kind) => {
  let server: TestServer
  let [ann, bob, member, writer, root] = [] as unknown as Person[]
  let guild: Organization

  beforeAll(async () => {
    server = await startServer({ on: kind })
    const { world } = server
    ;[ann, bob, member, writer] = await Promise.all(['ann', 'bob', 'member', 'writer'].map((name) => world.user(name)))
    root = await world.admin()
    guild = await world.org('guild', { owner: ann!, visibility: 'private' })
    await guild.team('readers', { permission: 'read', units: ['repo.packages'], members: [member!] })
    await guild.team('writers', { permission: 'write', units: ['repo.packages'], members: [writer!] })
  })
  afterAll(() => server.close())

  const call = (method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
    fetch(`${server.url}/api/packages/${path}`, {
      method,
      headers,
      body: body === undefined ? null : typeof body === 'string' ? body : new Uint8Array(body),
    })
  const as = (person: Person | undefined): Record<string, string> => basic(person!.name, PASSWORD)
  const publish = (path: string, body = 'abc', person = ann) => call('PUT', path, as(person), body)

  it('stores several files of a version and refuses a second one of the same name', async () => {
    const answers = [
      await publish('ann/generic/Tool/1.0/a.bin', 'aaa'),
      await publish('ann/generic/tool/1.0/b (1).bin', ''),
      await publish('ann/generic/tool/1.0/a.bin', 'bbb'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 409])
    expect(answers[2]!.headers.get('x-ingot-reason')).toBe('package_file_exists')
    const files = await ann!.client.get('/packages/ann/generic/tool/1.0/files')
    expect(files.json).toMatchObject([
      { name: 'a.bin', size: 3, sha256: sha256Hex('aaa') },
      { name: 'b (1).bin', size: 0, sha256: sha256Hex('') },
    ])
    expect(files.json[0]).toMatchObject({
      md5: '47bce5c74f589f4867dbd57e9ca9f808',
      sha1: '7e240de74fb1ed08fa08d38063f6a6a91462a815',
    })
    expect(files.json[0].sha512).toHaveLength(128)
    expect((await ann!.client.get('/packages/ann')).json).toMatchObject([{ type: 'generic', name: 'Tool' }])
  })

  it('takes bytes of every content type', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data; boundary=x']) {
      const path = `ann/generic/types/1.0/${sha256Hex(type)}`
      expect((await call('PUT', path, { ...as(ann), 'content-type': type }, 'a=b')).status).toBe(201)
      expect(await (await call('GET', path)).text()).toBe('a=b')
    }
  })

  it('sends files with ranges, conditions and a name, and answers HEAD', async () => {
    await publish('ann/generic/ranges/1.0/f.bin', '0123456789')
    const path = 'ann/generic/ranges/1.0/f.bin'
    const whole = await call('GET', path)
    expect(await whole.text()).toBe('0123456789')
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-disposition': expect.stringContaining('filename="f.bin"'),
      'content-length': '10',
      'content-type': 'application/octet-stream',
      'accept-ranges': 'bytes',
    })
    const part = await call('GET', path, { range: 'bytes=-3' })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 7-9/10', '789'])
    const bad = await call('GET', path, { range: 'bytes=10-' })
    expect([bad.status, bad.headers.get('content-range')]).toEqual([416, 'bytes */10'])
    const head = await call('HEAD', path)
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '10'])
    const unmodified = [
      { 'if-none-match': whole.headers.get('etag')! },
      { 'if-modified-since': whole.headers.get('last-modified')! },
    ]
    for (const headers of unmodified) expect((await call('GET', path, headers)).status).toBe(304)
  })

  it('deletes a file, with the last one the version, and with that the package', async () => {
    for (const file of ['a', 'b']) await publish(`ann/generic/gone/1.0/${file}`)
    await publish('ann/generic/gone/2.0/a')
    const remove = async (path: string) => (await call('DELETE', `ann/generic/gone/${path}`, as(ann))).status
    expect([await remove('1.0/a'), await remove('1.0/a'), await remove('1.0/b'), await remove('2.0')]).toEqual([
      204, 404, 204, 204,
    ])
    expect((await ann!.client.get('/packages/ann/generic/gone')).status).toBe(404)
    await publish('ann/generic/gone/1.0/a', 'new')
    expect(await (await call('GET', 'ann/generic/gone/1.0/a')).text()).toBe('new')
  })

  it('refuses names that are not allowed, and other methods and paths', async () => {
    const refusals = [
      ['x y/1.0/f', 'invalid package name'],
      ['%2e%2e%2fx/1.0/f', 'invalid package name'],
      ['x/%20 1/f', 'invalid package version'],
      ['x/a%2Fb/f', 'invalid package version'],
      ['x/1/%22', 'invalid filename'],
      ['x/1/..%2Ff', 'invalid filename'],
    ] as const
    for (const [path, message] of refusals) {
      const answer = await publish(`ann/generic/${path}`)
      expect([path, answer.status, (await answer.text()).trim()]).toEqual([path, 400, message])
    }
    const posted = await call('POST', 'ann/generic/x/1/f', as(ann), 'a')
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'DELETE, GET, HEAD, PUT'])
    expect((await call('GET', 'ann/generic/x')).status).toBe(404)
    expect((await call('GET', 'nobody/generic/x/1/f')).status).toBe(404)
  })

  it('answers 401 with a challenge to everyone who may not', async () => {
    await publish('guild/generic/inner/1.0/f', 'abc', writer)
    const read = 'guild/generic/inner/1.0/f'
    const statuses = async (method: string, path: string, body?: string) => {
      const found: number[] = []
      for (const headers of [{}, as(bob), as(member), as(writer), as(root)]) {
        const answer = await call(method, path, headers, body)
        found.push(answer.status)
        if (answer.status === 401) {
          expect(answer.headers.get('www-authenticate')).toBe(CHALLENGE)
          expect((await answer.text()).trim()).toBe('reqPackageAccess')
        }
      }
      return found
    }
    expect(await statuses('GET', read)).toEqual([401, 401, 200, 200, 200])
    expect(await statuses('PUT', 'guild/generic/inner/2.0/f', 'x')).toEqual([401, 401, 401, 201, 409])
    expect(await statuses('DELETE', 'guild/generic/inner/2.0/f')).toEqual([401, 401, 401, 204, 404])
    expect(await statuses('GET', 'guild/generic/none/1.0/f')).toEqual([401, 401, 404, 404, 404])
  })

  it('takes tokens in every form and asks for the scopes of packages', async () => {
    await publish('ann/generic/scoped/1.0/f')
    const [reader, other, publicOnly] = [
      await ann!.token('read:package'),
      await ann!.token('read:repository'),
      await writer!.token('write:package', 'public-only'),
    ]
    const get = async (headers: Record<string, string>, path = 'ann/generic/scoped/1.0/f') =>
      (await call('GET', path, headers)).status
    expect(await get({ authorization: `Bearer ${reader}` })).toBe(200)
    expect(await get({ authorization: `token ${reader}` })).toBe(200)
    expect(await get(basic(reader, ''))).toBe(200)
    expect(await get(basic('whoever', reader))).toBe(200)
    expect(await get({}, `guild/generic/inner/1.0/f?token=${await writer!.token('read:package')}`)).toBe(200)
    expect(await get({ authorization: `Bearer ${other}` })).toBe(401)
    expect(await get({ authorization: `token ${publicOnly}` }, 'guild/generic/inner/1.0/f')).toBe(403)
    expect((await call('PUT', 'ann/generic/scoped/2.0/f', { authorization: `token ${reader}` }, 'x')).status).toBe(401)
    const wrong = await call('GET', 'ann/generic/scoped/1.0/f', basic('ann', 'wrong'))
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, null])
    expect((await wrong.text()).trim()).toBe('Failed to authenticate user')
  })

  it('publishes a version that two publishers send at once exactly once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => publish('ann/generic/race/1.0/f', `content ${i}`)),
    )
    expect(answers.map(({ status }) => status).filter((status) => status !== 409)).toEqual([201])
    const winner = answers.findIndex(({ status }) => status === 201)
    expect(await (await call('GET', 'ann/generic/race/1.0/f')).text()).toBe(`content ${winner}`)
  })

  it('deletes the bytes of deleted files in the sweep, and keeps those of others', async () => {
    await publish('ann/generic/swept/1.0/f', 'shared bytes')
    await publish('ann/generic/stays/1.0/f', 'shared bytes')
    await publish('ann/generic/swept/1.0/g', 'own bytes')
    await call('DELETE', 'ann/generic/swept/1.0', as(ann))
    const { packageContents } = server.app
    await packageContents.sweep(new AbortController().signal)
    expect(await (await call('GET', 'ann/generic/stays/1.0/f')).text()).toBe('shared bytes')
    await expect(packageContents.open({ sha256: sha256Hex('own bytes') })).rejects.toThrow('lost')
  })
})
