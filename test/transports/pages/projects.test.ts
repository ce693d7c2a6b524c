import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

let server: TestServer
let ann: Person
let bob: Person

beforeAll(async () => {
  server = await startServer()
  ;[ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
  await server.world.repo({ owner: ann, name: 'desk' })
  await server.world.repo({ owner: ann, name: 'vault', isPrivate: true })
})
afterAll(() => server.close())

/** The page at an `html_url`, for nobody or the person. */
async function open(address: string, person?: Person): Promise<{ status: number; text: string; headers: Headers }> {
  const headers: Record<string, string> = person ? { authorization: `token ${await person.token('all')}` } : {}
  const answer = await fetch(address, { headers })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

describe('the page of a project', () => {
  it('of a repository shows its columns with their issues, and runs nothing', async () => {
    const body = { title: 'Spring <b>', description: 'Sow & reap', template_type: 'basic_kanban' }
    const board = (await ann.client.post('/repos/ann/desk/projects', body)).json
    const issue = async (title: string): Promise<Any> =>
      (await ann.client.post('/repos/ann/desk/issues', { title, projects: [board.id] })).json
    const [first, second] = [await issue('Dig <i>'), await issue('Plant')]
    const columns = (await ann.client.get(`/repos/ann/desk/projects/${board.id}/columns`)).json
    const to = { column_id: columns[3].id }
    await ann.client.post(`/repos/ann/desk/projects/${board.id}/issues/${second.id}/move`, to)
    const page = await open(board.html_url)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.text).not.toMatch(/<script|<b>|<i>/)
    const places = ['Spring &lt;b&gt;', 'Sow &amp; reap', '<h2>Backlog</h2>', 'Dig &lt;i&gt;', '<h2>To Do</h2>']
    const found = [...places, '<h2>Done</h2>', 'Plant'].map((text) => page.text.lastIndexOf(text))
    expect(found).toEqual(found.toSorted((a, b) => a - b))
    expect(found.every((place) => place > 0)).toBe(true)
    expect(page.text).toContain(`href="${new URL(first.html_url).pathname}"`)
  })

  it('of an account leaves out what the viewer may not read', async () => {
    const board = (await ann.client.post('/user/projects', { title: 'Year' })).json
    for (const repo of ['desk', 'vault'])
      await ann.client.post(`/repos/ann/${repo}/issues`, { title: `Work on ${repo}`, projects: [board.id] })
    const [own, other] = [await open(board.html_url, ann), await open(board.html_url, bob)]
    expect([own.status, other.status]).toEqual([200, 200])
    expect([own.text.includes('Work on vault'), other.text.includes('Work on vault')]).toEqual([true, false])
    expect(other.text).toContain('Work on desk')
    expect(other.text).toContain('Issues and pull requests: 1<')
  })

  it('is missing for others than readers, at another owner, and without a project', async () => {
    const hidden = (await ann.client.post('/repos/ann/vault/projects', { title: 'Secret' })).json
    expect([(await open(hidden.html_url, ann)).status, (await open(hidden.html_url, bob)).status]).toEqual([200, 404])
    for (const path of [`/ann/desk/projects/${hidden.id}`, `/ann/-/projects/${hidden.id}`, '/ann/-/projects/x'])
      expect((await open(server.url + path, ann)).status).toBe(404)
  })
})
