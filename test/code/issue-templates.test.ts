import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codeRepo } from './code-world.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const stream = (files: Readonly<Record<string, string>>): string =>
  `commit refs/heads/main\ncommitter T <t@example.test> 1700000000 +0000\ndata 2\nc\n${Object.entries(files)
    .map(([path, text]) => `M 100644 inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
    .join('')}\n`

const form = (body: string): string => `name: F\nabout: A\nbody:\n${body}`
const DIR = '.github/ISSUE_TEMPLATE'

describe('issue templates', () => {
  let server: TestServer
  let ann: Person

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  it('are hidden with the repository, and absent in an empty one', async () => {
    const bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'shut', isPrivate: true })
    for (const path of [
      '/repos/ann/shut/issue_templates',
      '/ann/shut/issue_templates',
      '/repos/ann/shut/issue_config',
      '/repos/ann/shut/issue_config/validate',
    ])
      expect((await bob.client.get(path)).status).toBe(404)
    expect((await ann.client.get('/repos/ann/shut/issue_templates')).json).toEqual([])
    expect((await ann.client.get('/repos/ann/shut/issue_config')).json).toEqual({
      blank_issues_enabled: true,
      contact_links: [],
    })
  })

  it('are read from every folder in order; invalid files are counted and skipped', async () => {
    const files = {
      'ISSUE_TEMPLATE/plain.md': `no front matter ${'x'.repeat(100)}`,
      [`${DIR}/a.md`]: '---\nname: M\nabout: m\nlabels: [one, 2]\nref: refs/tags/v1\n---\ntext',
      [`${DIR}/b.yaml`]: form(
        '  - type: input\n    attributes: {label: L}\n  - type: markdown\n    attributes: {value: V}\n',
      ),
      [`${DIR}/bad-id.yaml`]: form('  - {type: input, id: "a b", attributes: {label: L}}\n'),
      [`${DIR}/bad-twice.yaml`]: form(
        '  - {type: input, id: a, attributes: {label: L}}\n  - {type: input, id: a, attributes: {label: L}}\n',
      ),
      [`${DIR}/bad-options.yaml`]: form('  - {type: dropdown, attributes: {label: L, options: []}}\n'),
      [`${DIR}/bad-type.yaml`]: form('  - {type: magic, attributes: {label: L}}\n'),
      [`${DIR}/bad-yaml.yaml`]: '{ : [',
      [`${DIR}/bad-bomb.yaml`]: `a: &a [${'x,'.repeat(50)}]\n${'b: [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n'.repeat(3)}`,
      [`${DIR}/bad-deep.yaml`]: '['.repeat(30_000),
      [`${DIR}/bad-name.md`]: '---\nabout: m\n---\ntext',
      [`${DIR}/config.yml`]: 'contact_links:\n  - {name: N, url: zz, about: A}\n',
    }
    const { path } = await codeRepo(server, ann, { name: 'forms', history: stream(files) })
    const answer = await server.anonymous.get(`${path}/issue_templates`)
    expect(answer.json.map((item: { file_name: string }) => item.file_name)).toEqual([
      'ISSUE_TEMPLATE/plain.md',
      `${DIR}/a.md`,
      `${DIR}/b.yaml`,
    ])
    expect(answer.headers.get('x-gitea-warning')).toBe('error occurs when parsing issue template: count=8')
    expect(answer.json[0]).toMatchObject({
      name: 'plain.md',
      about: files['ISSUE_TEMPLATE/plain.md'].slice(0, 80),
      labels: null,
      ref: 'refs/heads/',
      body: null,
    })
    expect(answer.json[1]).toMatchObject({ labels: ['one', '2'], ref: 'refs/tags/v1', content: 'text\n'.trim() })
    expect(answer.json[2].body.map((field: { id: string; visible: string[] }) => [field.id, field.visible])).toEqual([
      ['1', ['form', 'content']],
      ['2', ['form']],
    ])
    expect((await server.anonymous.get('/ann/forms/issue_templates')).json).toEqual(answer.json)
    expect((await server.anonymous.get(`${path}/issue_config`)).json).toEqual({
      blank_issues_enabled: true,
      contact_links: [],
    })
    expect((await server.anonymous.get(`${path}/issue_config/validate`)).json).toEqual({
      valid: false,
      message: 'zz is not a valid URL',
    })
  })
})
