import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any, Client } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Organization, Person } from '../../harness/world.ts'

describeOnBoth('rights on projects', (on) => {
  let server: TestServer
  let acme: Organization
  const people: Record<'ann' | 'planner' | 'coder' | 'bob' | 'root', Person> = {} as never
  const openIssues: Any[] = []
  let hidden: Any
  let board: Any
  const ORG = '/orgs/acme/projects'

  beforeAll(async () => {
    server = await startServer({ on })
    const { world } = server
    for (const name of ['ann', 'planner', 'coder', 'bob'] as const) people[name] = await world.user(name)
    people.root = await world.admin()
    acme = await world.org('acme', { owner: people.ann })
    const open = await world.repo({ owner: acme.org, by: people.ann, name: 'open', autoInit: true })
    await world.repo({ owner: acme.org, by: people.ann, name: 'secret', isPrivate: true, autoInit: true })
    const units = ['repo.issues', 'repo.projects']
    await acme.team('planners', { permission: 'write', units, members: [people.planner], repos: [open] })
    await acme.team('coders', {
      permission: 'write',
      units: ['repo.code', 'repo.issues'],
      members: [people.coder],
      repos: [open],
    })
    const issue = async (repo: string): Promise<Any> =>
      (await people.ann.client.post(`/repos/acme/${repo}/issues`, { title: `In ${repo}` })).json
    openIssues.push(await issue('open'), await issue('open'))
    hidden = await issue('secret')
    board = (await people.ann.client.post(ORG, { title: 'Roadmap', template_type: 'basic_kanban' })).json
  })
  afterAll(() => server.close())

  const columnsOf = async (): Promise<Any[]> => (await people.ann.client.get(`${ORG}/${board.id}/columns`)).json
  const add = (client: Client, column: Any, issue: Any) =>
    client.post(`${ORG}/${board.id}/columns/${column.id}/issues/${issue.id}`)

  it('of an organization are those of its teams with the unit; others who see it read', async () => {
    const { planner, coder, bob, root } = people
    const create = async (client: Client) => (await client.post(ORG, { title: 'Another' })).status
    expect([await create(planner.client), await create(root.client)]).toEqual([201, 201])
    expect([await create(coder.client), await create(bob.client), await create(server.anonymous)]).toEqual([
      403, 403, 401,
    ])
    for (const client of [coder.client, bob.client, server.anonymous])
      expect((await client.get(`${ORG}/${board.id}`)).json).toMatchObject({
        title: 'Roadmap',
        type: 'organization',
        owner_id: acme.org.id,
        repo_id: 0,
        html_url: `${server.url}/acme/-/projects/${board.id}`,
      })
  })

  it('leave out issues that the viewer may not read, and count the others', async () => {
    const { ann, planner, bob } = people
    const [backlog, todo] = await columnsOf()
    for (const issue of [openIssues[0], hidden, openIssues[1]])
      expect((await add(ann.client, backlog, issue)).status).toBe(201)
    const seenBy = async (client: Client) => {
      const page = await client.get(`${ORG}/${board.id}/columns/${backlog!.id}/issues?limit=1`)
      const all = await client.get(`${ORG}/${board.id}/columns/${backlog!.id}/issues`)
      const { num_issues: count } = (await client.get(`${ORG}/${board.id}`)).json
      return [page.headers.get('x-total-count'), all.json.map((issue: Any) => issue.id), count]
    }
    const [first, second] = openIssues
    expect(await seenBy(ann.client)).toEqual(['3', [first.id, hidden.id, second.id], 3])
    for (const client of [planner.client, bob.client, server.anonymous, await ann.withToken('all', 'public-only')])
      expect(await seenBy(client)).toEqual(['2', [first.id, second.id], 2])
    const moved = await planner.client.post(`${ORG}/${board.id}/issues/${second.id}/move`, {
      column_id: backlog!.id,
      sorting: 1,
    })
    expect(moved.status).toBe(204)
    expect((await seenBy(ann.client))[1]).toEqual([first.id, hidden.id, second.id])
    for (const act of [
      await add(planner.client, todo, hidden),
      await planner.client.post(`${ORG}/${board.id}/issues/${hidden.id}/move`, { column_id: todo!.id }),
      await planner.client.delete(`${ORG}/${board.id}/columns/${backlog!.id}/issues/${hidden.id}`),
    ])
      expect(act.status).toBe(404)
  })

  it('show on an issue the projects that the viewer may read', async () => {
    const { ann, bob, coder } = people
    const path = `/repos/acme/open/issues/${openIssues[0].number}`
    const projectsFor = async (client: Client) =>
      (await client.get(path)).json.projects.map((project: Any) => project.title)
    const own = (await ann.client.post('/repos/acme/open/projects', { title: 'Internal' })).json
    const both = await ann.client.patch(path, { projects: [board.id, own.id] })
    expect(both.json.projects.map((project: Any) => project.title)).toEqual(['Roadmap', 'Internal'])
    expect([await projectsFor(bob.client), await projectsFor(coder.client)]).toEqual([
      ['Roadmap', 'Internal'],
      ['Roadmap', 'Internal'],
    ])
    const refused = await coder.client.patch(path, { projects: [] })
    expect(refused.json.projects.map((project: Any) => project.title)).toEqual(['Roadmap', 'Internal'])
    expect((await ann.client.patch('/repos/acme/open', { has_projects: false })).status).toBe(200)
    expect(await projectsFor(bob.client)).toEqual(['Roadmap'])
    for (const client of [ann.client, bob.client])
      expect((await client.get('/repos/acme/open/projects')).status).toBe(404)
    await ann.client.patch('/repos/acme/open', { has_projects: true, projects_mode: 'repo' })
    expect(await projectsFor(bob.client)).toEqual(['Internal'])
    expect((await add(ann.client, (await columnsOf())[1]!, openIssues[1])).status).toBe(422)
    await ann.client.patch('/repos/acme/open', { has_projects: true, projects_mode: 'owner' })
    expect(await projectsFor(bob.client)).toEqual(['Roadmap'])
    expect((await ann.client.get('/repos/acme/open/projects')).status).toBe(404)
    await ann.client.patch('/repos/acme/open', { has_projects: true, projects_mode: 'all' })
    await ann.client.patch('/orgs/acme', { visibility: 'private' })
    await ann.client.put('/repos/acme/open/collaborators/bob', { permission: 'read' })
    expect(await projectsFor(bob.client)).toEqual(['Internal'])
    expect((await bob.client.get(`${ORG}/${board.id}`)).status).toBe(404)
    const entries = (await bob.client.get(`${path}/timeline`)).json.filter((entry: Any) => entry.type === 'project')
    expect(entries.map((entry: Any) => entry.project_id)).toEqual([0, own.id])
    await ann.client.patch('/orgs/acme', { visibility: 'public' })
  })

  it('of a user accept only issues of its own repositories', async () => {
    const { ann, bob } = people
    const plan = (await bob.client.post('/user/projects', { title: 'Mine' })).json
    expect(plan).toMatchObject({
      type: 'individual',
      owner_id: bob.user.id,
      html_url: `${server.url}/bob/-/projects/${plan.id}`,
    })
    await bob.client.post('/user/repos', { name: 'home' })
    const issue = (await bob.client.post('/repos/bob/home/issues', { title: 'Mine', projects: [plan.id] })).json
    expect(issue.projects.map((project: Any) => project.id)).toEqual([plan.id])
    const [column] = (await bob.client.get(`/user/projects/${plan.id}/columns`)).json
    const path = `/user/projects/${plan.id}/columns/${column.id}/issues`
    expect((await bob.client.post(`${path}/${openIssues[0].id}`)).status).toBe(422)
    expect((await bob.client.post(`${path}/${hidden.id}`)).status).toBe(404)
    for (const other of [`/user/projects/${plan.id}`, `${ORG}/${plan.id}`])
      expect((await ann.client.get(other)).status).toBe(404)
    expect((await server.anonymous.get('/user/projects')).status).toBe(401)
  })

  it('need the scope of issues besides that of the owner to see and move issues', async () => {
    const { ann } = people
    const [column] = await columnsOf()
    const list = `${ORG}/${board.id}/columns/${column!.id}/issues`
    const narrow = await ann.withToken('read:organization')
    expect([(await narrow.get(`${ORG}/${board.id}`)).status, (await narrow.get(list)).status]).toEqual([200, 403])
    const wide = await ann.withToken('read:organization', 'read:issue')
    expect([(await wide.get(list)).status, (await wide.delete(`${ORG}/${board.id}`)).status]).toEqual([200, 403])
  })

  it('are closed with an archived repository, and end when another account owns it', async () => {
    const { ann, bob } = people
    const [, todo] = await columnsOf()
    await ann.client.patch('/repos/acme/secret', { archived: true })
    expect((await add(ann.client, todo, hidden)).status).toBe(423)
    expect((await ann.client.post('/repos/acme/secret/projects', { title: 'Late' })).status).toBe(423)
    await ann.client.patch('/repos/acme/secret', { archived: false })
    const own = (await ann.client.post('/repos/acme/secret/projects', { title: 'Own' })).json
    await ann.client.patch(`/repos/acme/secret/issues/${hidden.number}`, { projects: [board.id, own.id] })
    const before = (await ann.client.get(`${ORG}/${board.id}`)).json.num_issues
    expect((await ann.client.post('/repos/acme/secret/transfer', { new_owner: 'ann' })).status).toBe(202)
    const moved = (await ann.client.get(`/repos/ann/secret/issues/${hidden.number}`)).json
    expect(moved.projects.map((project: Any) => [project.id, project.html_url])).toEqual([
      [own.id, `${server.url}/ann/secret/projects/${own.id}`],
    ])
    expect((await ann.client.get(`${ORG}/${board.id}`)).json.num_issues).toBe(before - 1)
    expect((await bob.client.get(`/repos/ann/secret/projects/${own.id}`)).status).toBe(404)
  })
})
