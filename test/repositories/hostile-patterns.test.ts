import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

const HOSTILE = `*${'{,}'.repeat(330)}`

describe('patterns in the files of a repository', () => {
  let server: TestServer
  let ann: Person
  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
  })
  afterAll(() => server.close())

  const commit = (repo: string, files: Readonly<Record<string, string>>) =>
    ann.client.post(`/repos/ann/${repo}/contents`, {
      files: Object.entries(files).map(([path, text]) => ({
        operation: 'create',
        path,
        content: Buffer.from(text).toString('base64'),
      })),
    })

  const generated = async (name: string, list: string) => {
    await server.world.repo({ owner: ann, name, isTemplate: true, autoInit: true })
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`${'a'.repeat(200)}/${index}b`, 'x']))
    expect((await commit(name, { ...files, '.gitea/template': list })).status).toBe(201)
    return ann.client.post(`/repos/ann/${name}/generate`, { owner: 'ann', name: `${name}-made`, git_content: true })
  }

  it('list the files of a template unless matching takes seconds', async () => {
    expect((await generated('usual', '*.md\n**/9b\n')).status).toBe(201)
    const slow = Array.from({ length: 200 }, (_, index) => `${HOSTILE}${index}\n`).join('')
    expect(await generated('slow', slow)).toMatchObject({
      status: 422,
      json: { message: 'the template cannot be expanded: it has too many files for its globs' },
    })
    const many = Array.from({ length: 1001 }, (_, index) => `*${index}\n`).join('')
    expect(await generated('many', many)).toMatchObject({
      status: 422,
      json: { message: 'the template cannot be expanded: it has more than 1000 globs' },
    })
  })

  it('assign files to LFS unless all attributes files of their directories are too large', async () => {
    await server.world.repo({ owner: ann, name: 'attributes' })
    const text = `${'#'.repeat(200_000)}\n`
    const directories = ['', 'a/', 'a/b/', 'a/b/c/', 'a/b/c/d/']
    for (const directory of directories)
      expect((await commit('attributes', { [`${directory}.gitattributes`]: text })).status).toBe(201)
    expect((await commit('attributes', { 'a/b/c/d/file': 'x' })).status).toBe(201)
    expect(await commit('attributes', { 'a/b/c/d/e/.gitattributes': text })).toMatchObject({
      status: 422,
      json: { message: 'the patterns of .gitattributes are too many or too complex' },
    })
  })
})
