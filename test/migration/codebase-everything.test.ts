import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { migrate } from './import-world.ts'
import { createMergedHistory } from './merged-history.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const at = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('.000', '')
const KEY = '6b2579a03c2e8825a5fd0a9b4390d15571f3674d'
const LOGIN = `Basic ${Buffer.from(`acme/dan:${KEY}`).toString('base64')}`

describeOnBoth('an import of everything from Codebase', (kind) => {
  let api: Upstream
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let head: string
  let warnings: string

  const run = (body: object = {}) =>
    migrate(tom, {
      clone_addr: `${upstream.url}/widgets/app.git`,
      repo_name: 'app',
      service: 'codebase',
      auth_username: 'acme/dan',
      auth_password: KEY,
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      ...body,
    })

  beforeAll(async () => {
    upstream = await startUpstream()
    api = await startUpstream()
    target = await startServer({ on: kind, tuning: { importSleep: async () => {}, importApis: { codebase: api.url } } })
    tom = await target.world.user('tom')
    ;({ head } = await createMergedHistory(upstream, 'widgets/app', ['refs/kept/1']))
    await upstream.run('widgets/app', 'branch', 'feature-spike', head)
    await upstream.push('widgets/app')
    serve()
    const made = await run()
    expect([made.status, made.json.message]).toEqual([201, undefined])
    warnings = made.headers.get('x-ingot-warning') ?? ''
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
    await api.close()
  })

  /** Answers as its documentation says: XML, with lists of which a page after the last one is not found. */
  function serve(): void {
    const one = (path: string, xml: string): void =>
      void api.routes.set(`GET ${path}`, (request, response) => {
        const page = Number(new URL(request.url!, api.url).searchParams.get('page') ?? 1)
        if (page > 1 || request.headers.authorization !== LOGIN) return void response.writeHead(404).end()
        expect(request.headers.accept).toBe('application/xml')
        response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>\n${xml}`)
      })
    const list = (path: string, name: string, items: readonly string[]): void =>
      one(path, `<${name} type="array">${items.join('\n')}</${name}>`)
    one(
      '/widgets/app',
      '<repository><name>app</name><permalink>app</permalink><description>An app</description></repository>',
    )
    list('/widgets/assignments', 'users', [
      '<user><id type="integer">1</id><username>adam</username><email-address>adam@example.org</email-address></user>',
      '<user><company nil="true"></company><id type="integer">2</id><username>eve</username></user>',
    ])
    list('/widgets/tickets/categories', 'ticketing-categories', [
      '<ticketing-category><id type="integer">31</id><name>General &amp; more</name></ticketing-category>',
    ])
    list('/widgets/tickets/priorities', 'ticketing-priorities', [
      '<ticketing-priority><id type="integer">41</id><name>High</name><colour>ff0000</colour></ticketing-priority>',
    ])
    list('/widgets/tickets/statuses', 'ticketing-statuses', [
      `<ticketing-status><id type="integer">51</id><name>New</name><background-colour>9ac130</background-colour>
       <treat-as-closed type="boolean">false</treat-as-closed></ticketing-status>`,
      `<ticketing-status><id type="integer">52</id><name>Completed</name>
       <treat-as-closed type="boolean">true</treat-as-closed></ticketing-status>`,
    ])
    list('/widgets/milestones', 'ticketing-milestones', [
      `<ticketing-milestone><id type="integer">61</id><name>Version 1</name><description>first</description>
       <deadline type="date">2020-02-08</deadline><status>completed</status></ticketing-milestone>`,
      '<ticketing-milestone><id type="integer">62</id><name>Version 2</name><status>active</status></ticketing-milestone>',
    ])
    const ticket = (id: number, more: string): string =>
      `<ticket><ticket-id type="integer">${id}</ticket-id><summary>Ticket ${id}</summary><ticket-type>bug</ticket-type>
       <reporter-id type="integer">1</reporter-id><reporter>adam</reporter><category-id type="integer">31</category-id>
       <created-at type="datetime">${at(id)}</created-at><updated-at type="datetime">${at(id + 1)}</updated-at>${more}</ticket>`
    list('/widgets/tickets', 'tickets', [
      ticket(
        3,
        '<status-id type="integer">51</status-id><milestone-id type="integer" nil="true"/><tags>ui fast</tags>',
      ),
      ticket(
        1,
        `<status-id type="integer">52</status-id><priority-id type="integer">41</priority-id>
         <milestone-id type="integer">61</milestone-id><assignee-id type="integer">2</assignee-id>
         <upload-tokens type="array"><upload-token>x</upload-token></upload-tokens>`,
      ),
    ])
    const note = (id: number, content: string, more = ''): string =>
      `<ticket-note><id type="integer">${id}</id><content>${content}</content><user-id type="integer">2</user-id>
       <created-at type="datetime">${at(id)}</created-at><updated-at type="datetime">${at(id)}</updated-at>${more}</ticket-note>`
    list('/widgets/tickets/1/notes', 'ticket-notes', [
      note(6, 'a &lt;comment&gt;'),
      note(5, 'The text'),
      note(7, '', '<changes><status-id>52</status-id></changes>'),
      note(8, 'secret', '<private>1</private>'),
    ])
    list('/widgets/tickets/3/notes', 'ticket-notes', [])
    const pull = (id: number, status: string, more = ''): string =>
      `<merge-request><id type="integer">${id}</id><source-ref>${id === 2 ? 'feature-spike' : 'gone'}</source-ref>
       <target-ref>main</target-ref><subject>Merge ${id}</subject><status>${status}</status><user-id type="integer">1</user-id>
       <created-at type="datetime">${at(9)}</created-at><updated-at type="datetime">${at(12)}</updated-at>${more}</merge-request>`
    list('/widgets/app/merge_requests', 'merge-requests', [pull(2, 'new'), pull(5, 'closed')])
    const said = (content: string, action: string, day: number): string =>
      `<comment><content>${content}</content><user-id type="integer">2</user-id>${action}
       <created-at type="datetime">${at(day)}</created-at></comment>`
    one(
      '/widgets/app/merge_requests/2',
      pull(2, 'new', `<comments type="array">${said('I would like', '<action nil="true"/>', 10)}</comments>`),
    )
    one(
      '/widgets/app/merge_requests/5',
      pull(5, 'closed', `<comments type="array">${said('Closing', '<action>closed</action>', 12)}</comments>`),
    )
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }

  it('names what cannot be read', () => {
    for (const text of [
      "1 files of issue 1 were not imported: Codebase's API gives tokens alone",
      '1 notes of issue 1 were not imported: they are private',
      'the commits of pull request 8 are missing',
    ])
      expect(warnings).toContain(text)
  })

  it('has the description, properties as labels, and milestones', async () => {
    expect(await get('')).toMatchObject({ description: 'An app' })
    const labels: Any[] = await get('/labels')
    expect(labels.map(({ name, color, exclusive }) => [name, color, exclusive])).toEqual([
      ['Category/General & more', 'cccccc', true],
      ['Priority/High', 'ff0000', true],
      ['Status/Completed', 'cccccc', true],
      ['Status/New', '9ac130', true],
      ['Type/bug', 'cccccc', true],
      ['Type/enhancement', 'cccccc', true],
      ['Type/task', 'cccccc', true],
      ['fast', 'cccccc', false],
      ['ui', 'cccccc', false],
    ])
    expect(await get('/milestones?state=all')).toMatchObject([
      { title: 'Version 2', state: 'open', due_on: null },
      { title: 'Version 1', description: 'first', state: 'closed', due_on: '2020-02-08T00:00:00Z', closed_issues: 1 },
    ])
  })

  it('has tickets with their notes', async () => {
    const issue = await get('/issues/1')
    expect(issue).toMatchObject({
      title: 'Ticket 1',
      body: 'The text',
      state: 'closed',
      original_author: 'adam',
      original_author_id: 1,
      created_at: at(1),
      updated_at: at(2),
      closed_at: at(2),
      milestone: { title: 'Version 1' },
    })
    expect(issue.labels.map(({ name }: Any) => name)).toEqual([
      'Category/General & more',
      'Priority/High',
      'Status/Completed',
      'Type/bug',
    ])
    expect(await get('/issues/1/comments')).toMatchObject([
      { body: 'a <comment>', original_author: 'eve', original_author_id: 2, created_at: at(6) },
    ])
    const other = await get('/issues/3')
    expect([other.state, other.labels.map(({ name }: Any) => name)]).toEqual([
      'open',
      ['Category/General & more', 'Status/New', 'Type/bug', 'fast', 'ui'],
    ])
  })

  it('has merge requests after the tickets', async () => {
    expect(await get('/pulls/5')).toMatchObject({
      title: 'Merge 2',
      state: 'open',
      original_author: 'adam',
      created_at: at(9),
      head: { ref: 'feature-spike', sha: head },
      base: { ref: 'main' },
    })
    expect(await get('/issues/5/comments')).toMatchObject([{ body: 'I would like', original_author: 'eve' }])
    expect(await get('/pulls/8')).toMatchObject({ state: 'closed', merged: false, closed_at: at(12) })
    const timeline: Any[] = await get('/issues/8/timeline')
    expect(timeline.map(({ type, created_at }) => [type, created_at])).toEqual([
      ['comment', at(12)],
      ['close', at(12)],
    ])
  })

  it('fails with a wrong key, and leaves nothing', async () => {
    const failed = await run({ repo_name: 'other', auth_password: 'wrong' })
    expect([failed.status, failed.json.message]).toEqual([
      422,
      'Authentication failed: the API of the other server answered with status 404.',
    ])
    expect((await tom.client.get('/repos/tom/other')).status).toBe(404)
  })
})
