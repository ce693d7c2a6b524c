import { afterAll, beforeAll, expect, it } from 'vitest'
import { hash } from 'node:crypto'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const INFO = `[settings]
    os=Linux
    compiler.version=12

[options]
    shared=False
`

describeOnBoth('the Conan registry', (kind) => {
  let server: TestServer
  let ann: Person
  let token: string

  beforeAll(async () => {
    server = await startServer({ on: kind })
    ann = await server.world.user('ann')
    await server.world.org('guild', { owner: ann, visibility: 'private' })
    token = await (await fetch(`${base()}/v2/users/authenticate`, { headers: basic(PASSWORD) })).text()
  })
  afterAll(() => server.close())

  const base = (owner = 'ann') => `${server.url}/api/packages/${owner}/conan`
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`ann:${password}`).toString('base64')}`,
  })
  const bearer = () => ({ authorization: `Bearer ${token}` })
  async function send(method: string, path: string, body?: string, headers: Record<string, string> = bearer()) {
    const answer = await fetch(`${base()}/${path}`, { method, headers, ...(body !== undefined && { body }) })
    return [answer.status, await answer.text()] as const
  }
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${base()}/${path}`, { headers })
    const text = await answer.text()
    const type = answer.headers.get('content-type')
    return { status: answer.status, text, type, json: () => JSON.parse(text) }
  }
  const put = (path: string, body: string) => send('PUT', path, body)
  const rrev = (digit: string) => digit.repeat(32)
  async function uploadRecipe(ref: string, revision: string, script = 'pass') {
    for (const [file, text] of [
      ['conanfile.py', script],
      ['conanmanifest.txt', revision],
    ] as const)
      expect(await put(`v2/conans/${ref}/revisions/${revision}/files/${file}`, text)).toEqual([201, ''])
  }
  async function uploadPackage(ref: string, [revision, id, prev]: readonly [string, string, string]) {
    const folder = `v2/conans/${ref}/revisions/${revision}/packages/${id}/revisions/${prev}/files`
    for (const [file, text] of [
      ['conan_package.tgz', 'archive'],
      ['conaninfo.txt', INFO],
      ['conanmanifest.txt', prev],
    ] as const)
      expect(await put(`${folder}/${file}`, text)).toEqual([201, ''])
  }

  it('says what it can do, and exchanges credentials for a token', async () => {
    const ping = await fetch(`${base('guild')}/v1/ping`)
    expect([ping.status, ping.headers.get('x-conan-server-capabilities')]).toEqual([200, 'revisions'])
    expect((await get('v2/users/authenticate')).status).toBe(401)
    expect((await get('v2/users/authenticate', basic('wrong'))).status).toBe(401)
    const { type } = await get('v1/users/authenticate', basic(await ann.token('read:package')))
    expect(type).toMatch(/^text\/plain/)
    expect(await get('v2/users/check_credentials', bearer())).toMatchObject({ status: 200, text: 'ann' })
    expect((await get('v2/users/check_credentials')).status).toBe(401)
    expect((await get('v2/users/check_credentials', { authorization: 'Bearer unset' })).status).toBe(401)
    expect(
      (await get('v2/users/check_credentials', { authorization: `Bearer ${await ann.token('read:package')}` })).text,
    ).toBe('ann')
  })

  it('ends the token with the credentials that it was made of, and gives it no further scopes', async () => {
    const made = await ann.client.post('/users/ann/tokens', { name: 'conan', scopes: ['read:package'] })
    const { id, sha1 } = made.json
    const limited = { authorization: `Bearer ${(await get('v2/users/authenticate', basic(sha1))).text}` }
    const read = () => fetch(`${base('guild')}/v2/conans/search`, { headers: limited }).then(({ status }) => status)
    expect(await read()).toBe(200)
    expect((await send('PUT', `v2/conans/scoped/1/_/_/revisions/${rrev('1')}/files/x.py`, 'x', limited))[0]).toBe(401)
    await ann.client.delete(`/users/ann/tokens/${id}`)
    expect(await read()).toBe(401)
    expect((await fetch(`${base('guild')}/v2/conans/search`)).status).toBe(401)
  })

  it('lists revisions of recipes and packages, and their files', async () => {
    const ref = 'tool/1.0/team/stable'
    expect(await get(`v2/conans/${ref}/latest`)).toMatchObject({
      status: 404,
      text: '{"message":"package does not exist"}',
    })
    await uploadRecipe(ref, rrev('1'))
    await put(`v2/conans/${ref}/revisions/${rrev('2')}/files/conanfile.py`, 'incomplete')
    expect((await get(`v2/conans/${ref}/latest`)).json()).toMatchObject({ revision: rrev('1') })
    await put(`v2/conans/${ref}/revisions/${rrev('2')}/files/conanmanifest.txt`, 'x')
    const latest = await get(`v2/conans/${ref}/latest`)
    expect([latest.type, latest.json()]).toEqual([
      'application/json',
      { revision: rrev('2'), time: expect.stringMatching(/^\d{4}-.*Z$/) },
    ])
    expect(
      (await get(`v2/conans/${ref}/revisions`)).json().revisions.map((one: { revision: string }) => one.revision),
    ).toEqual([rrev('2'), rrev('1')])
    expect((await get(`v2/conans/${ref}/revisions/${rrev('1')}/files`)).json()).toEqual({
      files: { 'conanfile.py': {}, 'conanmanifest.txt': {} },
    })
    expect((await get(`v2/conans/${ref}/revisions/${rrev('1')}/files/conanfile.py`)).text).toBe('pass')
    expect((await get(`v2/conans/${ref}/revisions/${rrev('3')}/files`)).status).toBe(404)

    await uploadPackage(ref, [rrev('2'), 'abc', rrev('a')])
    await uploadPackage(ref, [rrev('2'), 'abc', rrev('b')])
    const folder = `v2/conans/${ref}/revisions/${rrev('2')}/packages/abc`
    expect((await get(`${folder}/latest`)).json()).toMatchObject({ revision: rrev('b') })
    expect((await get(`${folder}/revisions`)).json().revisions).toHaveLength(2)
    expect(Object.keys((await get(`${folder}/revisions/${rrev('a')}/files`)).json().files)).toEqual([
      'conan_package.tgz',
      'conaninfo.txt',
      'conanmanifest.txt',
    ])
    expect((await get(`${folder}/revisions/${rrev('a')}/files/conan_package.tgz`)).text).toBe('archive')
    expect((await get(`v2/conans/${ref}/revisions/${rrev('2')}/packages/none/latest`)).status).toBe(404)
    const described = {
      abc: { content: INFO, settings: { os: 'Linux', 'compiler.version': '12' }, options: { shared: 'False' } },
    }
    for (const path of ['', `/revisions/${rrev('2')}`])
      expect((await get(`v2/conans/${ref}${path}/search`)).json()).toEqual(described)
    expect((await get(`v2/conans/${ref}/search?list_only=True`)).json()).toEqual({ abc: {} })
    expect((await get(`v2/conans/${ref}/revisions/${rrev('1')}/search`)).json()).toEqual({})
    expect((await get(`v2/conans/${ref}/revisions/${rrev('3')}/search`)).status).toBe(404)
  })

  it('finds recipes by a pattern', async () => {
    await uploadRecipe('seek/1.0/_/_', rrev('1'))
    await uploadRecipe('seek/2.0/_/_', rrev('1'))
    await uploadRecipe('seek/2.0/team/_', rrev('1'))
    await uploadRecipe('seek/2.0/team/dev', rrev('1'))
    const search = async (query: string) => (await get(`v2/conans/search?${query}`)).json().results
    expect(await search('q=seek')).toEqual(['seek/1.0', 'seek/2.0', 'seek/2.0@team', 'seek/2.0@team/dev'])
    expect(await search('q=SEE*/2.0')).toEqual(['seek/2.0', 'seek/2.0@team', 'seek/2.0@team/dev'])
    expect(await search('q=SEE*&ignorecase=False')).toEqual([])
    expect(await search('q=*@team/d*')).toEqual(['seek/2.0@team/dev'])
    expect(await search('')).toContain('seek/1.0')
    expect((await get('v2/conans/seek')).status).toBe(404)
    expect((await get(`v2/conans/search?q=${'*a'.repeat(200)}`)).status).toBe(400)
    const listed = await ann.client.get('/packages/ann?type=conan&q=seek')
    expect(listed.json.map(({ version }: { version: string }) => version)).toContain('2.0@team/dev')
    expect((await ann.client.delete('/packages/ann/conan/seek/2.0%40team%2Fdev')).status).toBe(204)
    expect(await search('q=*@team/*')).not.toContain('seek/2.0@team/dev')
  })

  it('accepts a file again if it is the same, and replaces only metadata', async () => {
    const folder = `v2/conans/same/1.0/_/_/revisions/${rrev('1')}/files`
    await uploadRecipe('same/1.0/_/_', rrev('1'))
    expect((await put(`${folder}/conanfile.py`, 'pass'))[0]).toBe(201)
    expect(await put(`${folder}/conanfile.py`, 'other')).toEqual([409, '{"message":"package file already exists"}'])
    expect((await get(`${folder}/conanfile.py`)).text).toBe('pass')
    for (const text of ['one', 'two']) expect((await put(`${folder}/metadata/log/build.txt`, text))[0]).toBe(201)
    expect((await get(`${folder}/metadata/log/build.txt`)).text).toBe('two')
    const file = `${folder}/sum.txt`
    expect((await send('PUT', file, 'x', { ...bearer(), 'x-checksum-sha1': hash('sha1', 'y') }))[1]).toBe(
      '{"message":"hash mismatch"}',
    )
    expect((await send('PUT', file, '', { ...bearer(), 'x-checksum-deploy': 'true' }))[0]).toBe(404)
    expect((await get(file)).status).toBe(404)
    expect((await send('PUT', file, 'x', { ...bearer(), 'x-checksum-sha1': hash('sha1', 'x') }))[0]).toBe(201)
  })

  it('accepts the same file of several clients at once', async () => {
    const address = `v2/conans/race/1.0/_/_/revisions/${rrev('1')}/files/conanfile.py`
    const sent = Array.from({ length: 5 }, () => put(address, 'pass'))
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 5 }, () => [201, '']))
  })

  it('deletes packages, revisions and recipes', async () => {
    const ref = 'gone/1.0/_/_'
    await uploadRecipe(ref, rrev('1'))
    await uploadRecipe(ref, rrev('2'))
    const folder = `v2/conans/${ref}/revisions/${rrev('1')}`
    for (const id of ['one', 'two', 'three']) await uploadPackage(ref, [rrev('1'), id, rrev('a')])
    await uploadPackage(ref, [rrev('1'), 'one', rrev('b')])
    const remove = async (path: string, headers?: Record<string, string>) =>
      (await send('DELETE', path, undefined, headers))[0]
    const ids = async () => Object.keys((await get(`${folder}/search?list_only=True`)).json())
    expect(await remove(`${folder}/packages/one/revisions/${rrev('b')}`, {})).toBe(401)
    expect(await remove(`${folder}/packages/one/revisions/${rrev('b')}`)).toBe(200)
    expect((await get(`${folder}/packages/one/latest`)).json()).toMatchObject({ revision: rrev('a') })
    expect(await remove(`${folder}/packages/one`)).toBe(200)
    expect(await ids()).toEqual(['three', 'two'])
    expect(await remove(`${folder}/packages`)).toBe(200)
    expect(await ids()).toEqual([])
    expect(await remove(`${folder}/packages`)).toBe(404)
    expect(await remove(folder)).toBe(200)
    expect((await get(`v2/conans/${ref}/revisions`)).json().revisions).toMatchObject([{ revision: rrev('2') }])
    expect(await remove(`v2/conans/${ref}`)).toBe(200)
    expect((await get(`v2/conans/${ref}/revisions`)).status).toBe(404)
    expect((await ann.client.get('/packages/ann/conan/gone/1.0')).status).toBe(404)
  })

  it('serves clients of the first protocol', async () => {
    const ref = 'old/1.0/team/stable'
    const files = `${base()}/v1/files/${ref}/0`
    expect((await get(`v1/conans/${ref}`)).status).toBe(404)
    const sizes = JSON.stringify({ 'conanfile.py': 4, 'conanmanifest.txt': 1 })
    expect((await send('POST', `v1/conans/${ref}/upload_urls`, sizes, {}))[0]).toBe(401)
    const [, urls] = await send('POST', `v1/conans/${ref}/upload_urls`, sizes)
    expect(JSON.parse(urls)).toEqual({
      'conanfile.py': `${files}/export/conanfile.py`,
      'conanmanifest.txt': `${files}/export/conanmanifest.txt`,
    })
    for (const text of ['pass', 'other']) await put(`v1/files/${ref}/0/export/conanfile.py`, text)
    await put(`v1/files/${ref}/0/export/conanmanifest.txt`, 'm')
    const [, packageUrls] = await send('POST', `v1/conans/${ref}/packages/abc/upload_urls`, '{"conaninfo.txt": 1}')
    expect(JSON.parse(packageUrls)).toEqual({ 'conaninfo.txt': `${files}/package/abc/0/conaninfo.txt` })
    for (const [file, text] of [
      ['conaninfo.txt', INFO],
      ['conanmanifest.txt', 'm'],
    ] as const)
      await put(`v1/files/${ref}/0/package/abc/0/${file}`, text)
    expect((await get(`v1/conans/${ref}`)).json()).toEqual({
      'conanfile.py': '795f3202b17cb6bc3d4b771d8c6c9eaf',
      'conanmanifest.txt': '6f8f57715090da2632453988d9a1501b',
    })
    expect((await get(`v1/conans/${ref}/digest`)).json()).toEqual({
      'conanmanifest.txt': `${files}/export/conanmanifest.txt`,
    })
    const download = (await get(`v1/conans/${ref}/download_urls`)).json()
    expect(await (await fetch(download['conanfile.py'])).text()).toBe('other')
    expect(Object.keys((await get(`v1/conans/${ref}/packages/abc/download_urls`)).json())).toEqual([
      'conaninfo.txt',
      'conanmanifest.txt',
    ])
    expect((await get(`v1/conans/${ref}/packages/abc`)).json()).toHaveProperty(['conaninfo.txt'])
    expect((await get(`v1/conans/${ref}/search`)).json()).toMatchObject({ abc: { options: { shared: 'False' } } })
    expect((await get('v1/conans/search?q=old*')).json()).toEqual({ results: ['old/1.0@team/stable'] })
    expect((await get(`v2/conans/${ref}/latest`)).json()).toMatchObject({ revision: '0' })

    expect((await send('POST', `v1/conans/${ref}/packages/delete`, '{"package_ids": ["none"]}'))[0]).toBe(404)
    expect((await send('POST', `v1/conans/${ref}/packages/delete`, '{"package_ids": []}'))[0]).toBe(200)
    expect((await get(`v1/conans/${ref}/search`)).json()).toEqual({})
    expect((await send('POST', `v1/conans/${ref}/remove_files`, '{"files": ["conanfile.py"]}'))[0]).toBe(200)
    expect(Object.keys((await get(`v1/conans/${ref}`)).json())).toEqual(['conanmanifest.txt'])
    await uploadRecipe(ref, rrev('1'))
    expect(await send('POST', `v1/conans/${ref}/upload_urls`, sizes)).toEqual([
      409,
      expect.stringMatching(/has revisions/),
    ])
    expect((await get(`v1/conans/${ref}/digest`)).json()).toEqual({
      'conanmanifest.txt': `${base()}/v1/files/${ref}/${rrev('1')}/export/conanmanifest.txt`,
    })
    expect((await send('DELETE', `v1/conans/${ref}`))[0]).toBe(200)
    expect((await get(`v1/conans/${ref}`)).status).toBe(404)
  })

  it('refuses invalid references, files and descriptions, and publishes nothing', async () => {
    const refused = [
      [`b/1.0/_/_/revisions/${rrev('1')}/files/conanfile.py`, 'x', /reference of the recipe is invalid/],
      [`bad%2F1/1.0/_/_/revisions/${rrev('1')}/files/conanfile.py`, 'x', /reference of the recipe is invalid/],
      [`bad/1.0/_/stable/revisions/${rrev('1')}/files/conanfile.py`, 'x', /channel without a user/],
      [`bad/1.0/_/_/revisions/..%2Fx/files/conanfile.py`, 'x', /revision is invalid/],
      [`bad/1.0/_/_/revisions/${rrev('1')}/files/a%2F..%2Fb`, 'x', /name of the file is invalid/],
      [`bad/1.0/_/_/revisions/${rrev('1')}/files/${'a'.repeat(301)}`, 'x', /name of the file is invalid/],
      [
        `bad/1.0/_/_/revisions/${rrev('1')}/packages/abc/revisions/${rrev('1')}/files/conaninfo.txt`,
        'garbage',
        /conaninfo.txt is invalid/,
      ],
    ] as const
    for (const [path, body, message] of refused) {
      const [status, text] = await put(`v2/conans/${path}`, body)
      expect([status, JSON.parse(text)]).toEqual([400, { message: expect.stringMatching(message) }])
    }
    const info = `v2/conans/bad/1.0/_/_/revisions/${rrev('1')}/packages/abc/revisions/${rrev('1')}/files/conaninfo.txt`
    expect((await put(info, `[settings]\n${'x'.repeat(70_000)}`))[0]).toBe(413)
    expect(
      (await put(info, `[settings]\n${Array.from({ length: 1500 }, (_, index) => `a${index}=1`).join('\n')}`))[0],
    ).toBe(400)
    expect((await send('PUT', `v2/conans/bad/1.0/_/_/revisions/${rrev('1')}/files/conanfile.py`, 'x', {}))[0]).toBe(401)
    expect((await ann.client.get('/packages/ann/conan/bad')).status).toBe(404)
    await uploadRecipe('Cased/1.0/_/_', rrev('1'))
    expect((await put(`v2/conans/cased/1.0/_/_/revisions/${rrev('1')}/files/conanfile.py`, 'x'))[1]).toMatch(
      /called Cased already/,
    )
  })
})
