import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('templates of new repositories', () => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann', { fullName: 'Ann $& Arbor' })
  })
  afterAll(() => server.close())

  it.each([
    ['/gitignore/templates', ['Go', 'Node', 'C++', 'VisualStudioCode']],
    ['/label/templates', ['Advanced', 'Default']],
  ])('lists %s to anyone, A-Z', async (path, some) => {
    const names = (await server.anonymous.get(path)).json as unknown as string[]
    expect(names).toEqual([...names].sort())
    expect(names).toEqual(expect.arrayContaining(some))
  })

  it('lists licences and shows each with its placeholders', async () => {
    const all = (await server.anonymous.get('/licenses')).json as unknown as { key: string; url: string }[]
    expect(all.map((one) => one.key)).toEqual(expect.arrayContaining(['0BSD', 'Apache-2.0', 'GPL-3.0', 'MIT', 'Zlib']))
    for (const { key, url } of all) {
      expect(url.endsWith(`/api/v1/licenses/${key}`)).toBe(true)
      expect((await server.anonymous.get(`/licenses/${key}`)).json).toMatchObject({ key, name: key })
    }
    expect((await server.anonymous.get('/licenses/MIT')).json.body).toContain(
      'Copyright (c) <year> <copyright holders>',
    )
  })

  it('returns ignore files by their exact name and label sets in their order', async () => {
    expect((await server.anonymous.get('/gitignore/templates/C++')).json.name).toBe('C++')
    const labels = (await server.anonymous.get('/label/templates/Advanced')).json as unknown as {
      name: string
      exclusive: boolean
    }[]
    expect([labels.length, labels[0]!.name, labels.filter((label) => label.exclusive).length]).toEqual([
      18,
      'Kind/Bug',
      11,
    ])
  })

  it.each([
    '/gitignore/templates/go',
    '/gitignore/templates/..%2FREADME',
    '/gitignore/templates/constructor',
    '/licenses/mit',
    '/licenses/__proto__',
    '/label/templates/None',
  ])('returns 404 for %s', async (path) => expect((await server.anonymous.get(path)).status).toBe(404))

  async function firstFile(repo: string, path: string): Promise<string | undefined> {
    const found = await ann.client.get(`/repos/ann/${repo}/contents/${path}`)
    return found.status === 200 ? Buffer.from(found.json.content as string, 'base64').toString() : undefined
  }

  it('creates the files of the first commit from them', async () => {
    const made = await ann.client.post('/user/repos', {
      name: 'full',
      auto_init: true,
      gitignores: 'Go, Node,',
      license: 'MIT',
      issue_labels: 'Default',
    })
    expect(made.json).toMatchObject({ licenses: ['MIT'], empty: false })
    expect(await firstFile('full', 'README.md')).toBe('# full\n\n')
    const ignored = (await firstFile('full', '.gitignore'))!
    expect(ignored.startsWith('# ---> Go\n')).toBe(true)
    expect(ignored).toContain('\n\n# ---> Node\n')
    expect(await firstFile('full', 'LICENSE')).toContain(
      `Copyright (c) ${new Date(server.app.clock.now()).getUTCFullYear()} Ann $& Arbor\n`,
    )
  })

  it.each(['0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BSD-3-Clause-Clear', 'ISC', 'MIT-0', 'UPL-1.0'])(
    'leaves no blank in the copyright line of %s',
    async (license) => {
      await ann.client.post('/user/repos', { name: license, auto_init: true, license })
      const line = (await firstFile(license, 'LICENSE'))!.split('\n').find((text) => text.startsWith('Copyright'))
      expect(line).toMatch(/^Copyright( \(c\))? \d{4}( by)? Ann \$& Arbor/i)
    },
  )

  it('creates no files without a first commit', async () => {
    const made = await ann.client.post('/user/repos', {
      name: 'bare',
      gitignores: 'None',
      license: 'None',
      readme: 'None',
    })
    expect([made.status, made.json.licenses, made.json.empty]).toEqual([201, [], true])
    expect((await ann.client.post('/user/repos', { name: 'intended', license: 'MIT' })).json).toMatchObject({
      licenses: ['MIT'],
      empty: true,
    })
    expect((await ann.client.get('/repos/ann/intended/licenses')).json).toEqual(['MIT'])
    expect((await server.anonymous.get('/repos/ann/none/licenses')).status).toBe(404)
  })

  it.each([
    [{ auto_init: true, readme: 'None' }, 400, 'readme template does not exist, available templates: [Default]'],
    [{ auto_init: true, license: 'None' }, 422, 'license template "None" does not exist'],
    [{ auto_init: true, gitignores: 'Go,None' }, 422, 'gitignore template "None" does not exist'],
    [{ issue_labels: 'None' }, 422, 'failed to load label template file "None": label template "None" not found'],
  ])('rejects unknown ones and creates no repository: %#', async (body, status, message) => {
    const answer = await ann.client.post('/user/repos', { name: 'refused', ...body })
    expect([answer.status, answer.json.message]).toEqual([status, message])
    expect((await ann.client.get('/repos/ann/refused')).status).toBe(404)
  })
})
