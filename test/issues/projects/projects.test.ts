import { expect, it } from 'vitest'
import type { Any, Client } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { expectEvents, lastEventId } from '../../harness/expect.ts'
import { createIssue, issueWorld, timelineOf } from '../issue-world.ts'

const DESK = '/repos/ann/desk/projects'

async function create(client: Client, path: string, body: object = {}): Promise<Any> {
  const answer = await client.post(path, { title: 'Plan', ...body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

const namesOf = async (client: Client, path: string): Promise<string[]> =>
  (await client.get(`${path}/columns`)).json.map((column: Any) => column.title)

const issuesIn = async (client: Client, path: string): Promise<number[]> =>
  (await client.get(`${path}/issues?limit=50`)).json.map((issue: Any) => issue.number)

describeOnBoth('projects', (on) => {
  const given = issueWorld({ on })

  it('of a repository are created by a template, edited, closed and deleted', async () => {
    const { ann, server } = given
    const mark = await lastEventId(server)
    const made = await create(ann.client, DESK, { description: 'What to do', template_type: 'basic_kanban' })
    expect(made).toMatchObject({
      title: 'Plan',
      description: 'What to do',
      type: 'repository',
      template_type: 'basic_kanban',
      card_type: 'text_only',
      owner_id: 0,
      creator: { login: 'ann' },
      creator_id: ann.user.id,
      state: 'open',
      is_closed: false,
      num_issues: 0,
      num_open_issues: 0,
      num_closed_issues: 0,
      html_url: `${server.url}/ann/desk/projects/${made.id}`,
      closed_at: null,
    })
    expect(made.repo_id).toBeGreaterThan(0)
    const path = `${DESK}/${made.id}`
    const columns = (await ann.client.get(`${path}/columns`)).json
    expect(columns.map((column: Any) => [column.title, column.default, column.sorting])).toEqual([
      ['Backlog', true, 0],
      ['To Do', false, 1],
      ['In Progress', false, 2],
      ['Done', false, 3],
    ])
    const closed = await ann.client.patch(path, { title: 'Ship it', card_type: 'images_and_text', state: 'closed' })
    expect([closed.status, closed.json]).toMatchObject([
      200,
      { title: 'Ship it', description: 'What to do', card_type: 'images_and_text', state: 'closed', is_closed: true },
    ])
    expect(closed.json.closed_at).not.toBeNull()
    const idsIn = async (state: string) =>
      (await ann.client.get(`${DESK}${state}`)).json.map((project: Any) => project.id)
    expect([await idsIn(''), await idsIn('?state=closed'), await idsIn('?state=all')]).toEqual([
      [],
      [made.id],
      [made.id],
    ])
    expect((await ann.client.patch(path, { state: 'open' })).json).toMatchObject({ state: 'open', closed_at: null })
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.get(path)).status).toBe(404)
    await expectEvents(server, { after: mark }, [
      ['project.created', { project_id: made.id, title: 'Plan', owner_id: 0, repo_id: made.repo_id }],
      ['project.edited', { project_id: made.id, title: 'Ship it' }],
      ['project.closed', { project_id: made.id }],
      ['project.reopened', { project_id: made.id }],
      ['project.deleted', { project_id: made.id, title: 'Ship it' }],
    ])
  })

  it('refuse bad values by the name of the field', async () => {
    const { ann } = given
    const { id } = await create(ann.client, DESK)
    const path = `${DESK}/${id}`
    const refused = async (method: 'post' | 'patch', to: string, body: object): Promise<string> => {
      const answer = await ann.client[method](to, body)
      expect(answer.status, to).toBe(422)
      return answer.json.message
    }
    expect(await refused('post', DESK, { title: ' ' })).toContain('[Title]')
    expect(await refused('post', DESK, { title: 'x'.repeat(256) })).toContain('[Title]')
    expect(await refused('post', DESK, { title: 'x', template_type: 'scrum' })).toContain('[TemplateType]')
    expect(await refused('patch', path, { card_type: 'video' })).toContain('[CardType]')
    expect(await refused('patch', path, { state: 'all' })).toContain('[State]')
    expect(await refused('post', `${path}/columns`, { title: 'x', color: 'red' })).toContain('[Color]')
    const [column] = (await ann.client.get(`${path}/columns`)).json
    expect(await refused('patch', `${path}/columns/${column.id}`, { sorting: 128 })).toContain('[Sorting]')
    expect(await refused('post', `${path}/columns/move`, { column_ids: [] })).toContain('[ColumnIDs]')
  })

  it('have columns in an order, one of them the default', async () => {
    const { ann } = given
    const { id } = await create(ann.client, DESK, { template_type: 'bug_triage' })
    const path = `${DESK}/${id}`
    const [triage, high, low] = (await ann.client.get(`${path}/columns`)).json
    const added = await ann.client.post(`${path}/columns`, { title: 'Later', color: '#AABBCC' })
    expect([added.status, added.json]).toMatchObject([
      201,
      { title: 'Later', color: '#aabbcc', sorting: 4, default: false, project_id: id, creator: { login: 'ann' } },
    ])
    const edited = await ann.client.patch(`${path}/columns/${low.id}`, { title: 'Low', sorting: -1 })
    expect([edited.status, edited.json]).toMatchObject([200, { title: 'Low', sorting: -1 }])
    expect(await namesOf(ann.client, path)).toEqual(['Low', 'Needs Triage', 'High Priority', 'Closed', 'Later'])
    const ids = (await ann.client.get(`${path}/columns`)).json.map((column: Any) => column.id)
    expect((await ann.client.post(`${path}/columns/move`, { column_ids: ids.toReversed() })).status).toBe(204)
    expect(await namesOf(ann.client, path)).toEqual(['Later', 'Closed', 'High Priority', 'Needs Triage', 'Low'])
    for (const wrong of [ids.slice(1), [...ids, 1], [...ids.slice(1), ids[1]]])
      expect((await ann.client.post(`${path}/columns/move`, { column_ids: wrong })).status).toBe(422)
    expect((await ann.client.delete(`${path}/columns/${triage.id}`)).status).toBe(422)
    expect((await ann.client.post(`${path}/columns/${high.id}/default`)).status).toBe(204)
    expect((await ann.client.get(`${path}/columns/${high.id}`)).json.default).toBe(true)
    expect((await ann.client.get(`${path}/columns/${triage.id}`)).json.default).toBe(false)
    const [first, second] = [await createIssue(ann), await createIssue(ann)]
    await ann.client.post(`${path}/columns/${high.id}/issues/${first.id}`)
    await ann.client.post(`${path}/columns/${triage.id}/issues/${second.id}`)
    expect((await ann.client.delete(`${path}/columns/${triage.id}`)).status).toBe(204)
    expect(await issuesIn(ann.client, `${path}/columns/${high.id}`)).toEqual([first.number, second.number])
    expect((await ann.client.get(`${path}/columns/${triage.id}`)).status).toBe(404)
    const other = await create(ann.client, DESK)
    expect((await ann.client.get(`${DESK}/${other.id}/columns/${high.id}`)).status).toBe(404)
  })

  it('contain issues that are added, moved to a position and removed', async () => {
    const { ann, server } = given
    const { id } = await create(ann.client, DESK, { template_type: 'basic_kanban' })
    const path = `${DESK}/${id}`
    const [backlog, todo] = (await ann.client.get(`${path}/columns`)).json
    const [a, b, c] = [await createIssue(ann), await createIssue(ann), await createIssue(ann)]
    const outside = await createIssue(ann)
    const mark = await lastEventId(server)
    for (const issue of [a, b, c]) {
      const added = await ann.client.post(`${path}/columns/${backlog.id}/issues/${issue.id}`)
      expect([added.status, added.json.id, added.json.projects]).toMatchObject([201, issue.id, [{ id, title: 'Plan' }]])
    }
    const inBacklog = () => issuesIn(ann.client, `${path}/columns/${backlog.id}`)
    const inTodo = () => issuesIn(ann.client, `${path}/columns/${todo.id}`)
    const move = async (issue: Any, body: object) =>
      (await ann.client.post(`${path}/issues/${issue.id}/move`, body)).status
    expect(await inBacklog()).toEqual([a.number, b.number, c.number])
    expect(await move(c, { column_id: backlog.id, sorting: 0 })).toBe(204)
    expect(await inBacklog()).toEqual([c.number, a.number, b.number])
    expect(await move(c, { column_id: backlog.id, sorting: 1 })).toBe(204)
    expect(await inBacklog()).toEqual([a.number, c.number, b.number])
    expect(await move(a, { column_id: backlog.id })).toBe(204)
    expect(await inBacklog()).toEqual([c.number, b.number, a.number])
    expect(await move(b, { column_id: todo.id, sorting: 99 })).toBe(204)
    expect([await inBacklog(), await inTodo()]).toEqual([[c.number, a.number], [b.number]])
    expect(await move(b, { column_id: 1 })).toBe(422)
    expect(await move(outside, { column_id: todo.id })).toBe(404)
    expect((await ann.client.delete(`${path}/columns/${backlog.id}/issues/${b.id}`)).status).toBe(404)
    expect((await ann.client.delete(`${path}/columns/${todo.id}/issues/${b.id}`)).status).toBe(204)
    expect(await inTodo()).toEqual([])
    await expectEvents(server, { after: mark }, [
      ['project_card.added', { issue_id: a.id, column_id: backlog.id, project_id: id }],
      ['project_card.added', { issue_id: b.id }],
      ['project_card.added', { issue_id: c.id }],
      ['project_card.moved', { issue_id: c.id, column_id: backlog.id, old_column_id: backlog.id }],
      ['project_card.moved', { issue_id: c.id }],
      ['project_card.moved', { issue_id: a.id }],
      ['project_card.moved', { issue_id: b.id, column_id: todo.id, old_column_id: backlog.id }],
      ['project_card.deleted', { issue_id: b.id, column_id: todo.id }],
    ])
    const entries = (await timelineOf(ann, b.number)).filter(({ type }) => type.startsWith('project'))
    expect(entries.map((entry) => [entry.type, entry.old_project_id, entry.project_id])).toEqual([
      ['project', 0, id],
      ['project_board', 0, id],
      ['project', id, 0],
    ])
    await ann.client.patch(`/repos/ann/desk/issues/${a.number}`, { state: 'closed' })
    expect((await ann.client.get(path)).json).toMatchObject({ num_issues: 2, num_open_issues: 1, num_closed_issues: 1 })
  })

  it('keep the order when many issues are moved between the same two', async () => {
    const { ann } = given
    const { id } = await create(ann.client, DESK)
    const [column] = (await ann.client.get(`${DESK}/${id}/columns`)).json
    const numbers: number[] = []
    const ids: number[] = []
    for (let made = 0; made < 3; made++) {
      const issue = await createIssue(ann, { projects: [id] })
      numbers.push(issue.number)
      ids.push(issue.id)
    }
    for (let round = 0; round < 40; round++) {
      const status = await ann.client.post(`${DESK}/${id}/issues/${ids[2]}/move`, { column_id: column.id, sorting: 1 })
      expect(status.status).toBe(204)
      numbers.splice(1, 2, numbers[2]!, numbers[1]!)
      ids.splice(1, 2, ids[2]!, ids[1]!)
      expect(await issuesIn(ann.client, `${DESK}/${id}/columns/${column.id}`)).toEqual(numbers)
    }
  })

  it('have every issue once when ten clients move them at once', async () => {
    const { ann } = given
    const { id } = await create(ann.client, DESK, { template_type: 'basic_kanban' })
    const [first, second] = (await ann.client.get(`${DESK}/${id}/columns`)).json
    const issues = await Promise.all(Array.from({ length: 10 }, () => createIssue(ann, { projects: [id] })))
    const moves = issues.flatMap((issue, at) =>
      [first, second, first].map((column) => ({ issue, body: { column_id: column.id, sorting: at % 3 } })),
    )
    const answers = await Promise.all(
      moves.map(({ issue, body }) => ann.client.post(`${DESK}/${id}/issues/${issue.id}/move`, body)),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    const there = [
      ...(await issuesIn(ann.client, `${DESK}/${id}/columns/${first.id}`)),
      ...(await issuesIn(ann.client, `${DESK}/${id}/columns/${second.id}`)),
    ]
    expect(there.toSorted((a, b) => a - b)).toEqual(issues.map(({ number }) => number).toSorted((a, b) => a - b))
    const last = issues[3]!
    await ann.client.post(`${DESK}/${id}/issues/${last.id}/move`, { column_id: second.id, sorting: 0 })
    expect((await issuesIn(ann.client, `${DESK}/${id}/columns/${second.id}`))[0]).toBe(last.number)
  })

  it('are set with a new issue and replaced by an edit', async () => {
    const { ann, wes, bob } = given
    const [one, two, three] = [
      await create(ann.client, DESK),
      await create(ann.client, DESK),
      await create(ann.client, DESK),
    ]
    const issue = await createIssue(wes, { projects: [two.id, one.id] })
    const idsOf = (json: Any): number[] => json.projects.map((project: Any) => project.id)
    expect(idsOf(issue)).toEqual([one.id, two.id])
    const path = `/repos/ann/desk/issues/${issue.number}`
    const edited = await wes.client.patch(path, { projects: [three.id, two.id] })
    expect([edited.status, idsOf(edited.json)]).toEqual([201, [two.id, three.id]])
    const [listed] = (await bob.client.get('/repos/ann/desk/issues?limit=1')).json
    expect([listed.number, idsOf(listed)]).toEqual([issue.number, [two.id, three.id]])
    const other = await create(ann.client, '/repos/ann/vault/projects')
    for (const wrong of [other.id, 999_999]) {
      const refused = await wes.client.patch(path, { projects: [wrong] })
      expect([refused.status, refused.json.message]).toEqual([422, `[Projects]: there is no project ${wrong}`])
    }
    expect(idsOf((await wes.client.patch(path, { title: 'Other' })).json)).toEqual([two.id, three.id])
    expect(idsOf((await wes.client.patch(path, { projects: [] })).json)).toEqual([])
    expect(idsOf(await createIssue(bob, { projects: [one.id] }))).toEqual([])
  })

  it('lose an issue that is deleted or transferred, and end with their repository', async () => {
    const { ann } = given
    const board = await create(ann.client, DESK)
    const own = await create(ann.client, '/user/projects')
    const [gone, moved] = [
      await createIssue(ann, { projects: [board.id] }),
      await createIssue(ann, { projects: [board.id, own.id] }),
    ]
    await ann.client.delete(`/repos/ann/desk/issues/${gone.number}`)
    const transferred = await ann.client.post(`/repos/ann/desk/issues/${moved.number}/transfer`, { repo: 'vault' })
    expect(transferred.json.projects.map((project: Any) => project.id)).toEqual([own.id])
    expect((await ann.client.get(`${DESK}/${board.id}`)).json.num_issues).toBe(0)
    expect((await ann.client.get(`/user/projects/${own.id}`)).json.num_issues).toBe(1)
    await ann.client.post('/user/repos', { name: 'brief' })
    await create(ann.client, '/repos/ann/brief/projects')
    await createIssue(ann, { projects: [own.id] }, 'ann/brief')
    expect((await ann.client.get(`/user/projects/${own.id}`)).json.num_issues).toBe(2)
    expect((await ann.client.delete('/repos/ann/brief')).status).toBe(204)
    expect((await ann.client.get(`/user/projects/${own.id}`)).json.num_issues).toBe(1)
  })
})
