import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { migrate } from './import-world.ts'

const TEXTS = ['no reference', 'one #1', 'two #1', 'three #1']

describeOnBoth('references from comments that were written in one second', (kind) => {
  let source: TestServer
  let target: TestServer
  let root: Person
  let body: object

  beforeAll(async () => {
    source = await startServer()
    target = await startServer({ on: kind })
    const sue = await source.world.user('sue')
    root = await target.world.admin()
    await source.world.repo({ owner: sue, name: 'desk' })
    const post = async (path: string, value: object): Promise<void> =>
      expect((await sue.client.post(`/repos/sue/desk${path}`, value)).status).toBe(201)
    for (const title of ['first', 'second']) await post('/issues', { title })
    for (const text of TEXTS) await post('/issues/2/comments', { body: text })
    await source.drain()
    await source.app.database.transaction((tx) =>
      tx.updateTable('timeline_entry').set({ created_at: 1_700_000_000_000 }).where('kind', '=', 'comment').execute(),
    )
    body = {
      clone_addr: `${source.url}/sue/desk.git`,
      repo_name: 'desk',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      issues: true,
    }
    expect((await migrate(root, body)).status).toBe(201)
  })
  afterAll(async () => {
    await target.close()
    await source.close()
  })

  const read = async (path: string): Promise<Any[]> =>
    (await root.client.get(`/repos/${root.name}/desk/issues${path}`)).json
  /** Texts of the references, and of the comments with their ids. */
  const references = async (): Promise<string[]> => {
    const comments = new Map((await read('/2/comments')).map(({ id, body }) => [id, body]))
    const entries = (await read('/1/timeline')).filter(({ type }) => type === 'comment_ref')
    return entries.map(({ ref_comment: { id, body } }) => `${body}, ${comments.get(id)}`).toSorted()
  }
  const expected = ['one #1, one #1', 'three #1, three #1', 'two #1, two #1']

  it('name their own comments after an import', async () => {
    expect(await references()).toEqual(expected)
  })

  it.each([[[2]], [[1]], [[1, 2]]])('name them after the issues %j were imported again', async (numbers) => {
    const again = await migrate(root, { ...body, changes: { numbers } })
    expect(again.status, again.text).toBe(201)
    expect(await references()).toEqual(expected)
  })
})
