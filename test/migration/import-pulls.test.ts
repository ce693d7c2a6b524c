import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { commitFile } from '../pulls/pull-world.ts'
import { migrate } from './import-world.ts'

/** Members that say the same of a pull request on both servers. */
const SAME = [
  'number',
  'title',
  'body',
  'state',
  'draft',
  'merged',
  'merged_at',
  'merge_commit_sha',
  'merge_base',
  'created_at',
  'closed_at',
  'review_comments',
  'mergeable',
]

const pick = (value: Any, members: readonly string[]): Any =>
  Object.fromEntries(members.map((member) => [member, value[member]]))

describeOnBoth('an import of pull requests from another server', (kind) => {
  let source: TestServer
  let target: TestServer
  let sue: Person
  let fay: Person
  let tom: Person

  beforeAll(async () => {
    source = await startServer()
    target = await startServer({ on: kind })
    sue = await source.world.user('sue')
    fay = await source.world.user('fay')
    tom = await target.world.user('tom')
    await source.world.repo({ owner: sue, name: 'app', autoInit: true })
    const post = async (person: Person, path: string, body: object): Promise<Any> => {
      const answer = await person.client.post(`/repos/sue/app/${path}`, body)
      expect(answer.status, JSON.stringify(answer.json)).toBeLessThan(300)
      return answer.json
    }
    const propose = (person: Person, head: string, more: object = {}) =>
      post(person, 'pulls', { head, base: 'main', title: `Add ${head}`, body: 'why', ...more })
    for (const branch of ['open', 'merged', 'closed']) await commitFile(sue, { branch, from: 'main', repo: 'sue/app' })
    expect((await fay.client.post('/repos/sue/app/forks', {})).status).toBe(202)
    await commitFile(fay, { branch: 'forked', from: 'main', repo: 'fay/app' })
    await propose(sue, 'open', { title: 'WIP: Add open' })
    await propose(sue, 'merged')
    await propose(sue, 'closed')
    await propose(fay, 'fay:forked')
    const review = await post(fay, 'pulls/1/reviews', {
      event: 'COMMENT',
      body: 'good',
      comments: [{ path: 'open.txt', body: 'this line', new_position: 1 }],
    })
    await post(fay, `pulls/1/reviews/${review.id}/comments`, { path: 'open.txt', body: 'again', new_position: 1 })
    await post(fay, 'issues/1/comments', { body: 'plain' })
    await post(fay, 'pulls/2/reviews', { event: 'APPROVED', body: '' })
    await post(sue, 'pulls/2/merge', { Do: 'squash', delete_branch_after_merge: true })
    await commitFile(sue, { branch: 'main', path: 'later.txt', repo: 'sue/app' })
    expect((await sue.client.patch('/repos/sue/app/pulls/3', { state: 'closed' })).status).toBe(201)
    await post(sue, 'branch_protections', { rule_name: 'main', required_approvals: 1, enable_push: true })
    await source.drain()
    const made = await migrate(tom, {
      clone_addr: `${source.url}/sue/app.git`,
      repo_name: 'app',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      pull_requests: true,
    })
    expect(made.status, JSON.stringify(made.json)).toBe(201)
    expect(made.headers.get('x-ingot-warning')).toBeNull()
    await target.drain()
  })
  afterAll(async () => {
    await source.close()
    await target.close()
  })

  const both = async (path: string): Promise<[Any, Any]> => [
    (await sue.client.get(`/repos/sue/app/${path}`)).json,
    (await tom.client.get(`/repos/tom/app/${path}`)).json,
  ]

  it.each([1, 2, 3, 4])('shows pull request %i, its files and its commits as there', async (number) => {
    const [theirs, ours] = await both(`pulls/${number}`)
    expect(pick(ours, SAME)).toEqual(pick(theirs, SAME))
    expect(ours).toMatchObject({ user: { login: 'tom' }, original_author: theirs.user.login })
    expect(theirs).not.toHaveProperty('original_author')
    expect(pick(ours.head, ['label', 'ref', 'sha'])).toMatchObject({ label: theirs.head.label, sha: theirs.head.sha })
    expect(ours.head.repo?.name).toBe(number === 4 ? undefined : 'app')
    const [theirFiles, ourFiles] = await both(`pulls/${number}/files`)
    const members = ['filename', 'status', 'additions', 'deletions']
    expect(ourFiles.map((file: Any) => pick(file, members))).toEqual(theirFiles.map((file: Any) => pick(file, members)))
    expect(ourFiles).toHaveLength(1)
    const [theirCommits, ourCommits] = await both(`pulls/${number}/commits`)
    expect(ourCommits.map(({ sha }: Any) => sha)).toEqual(theirCommits.map(({ sha }: Any) => sha))
    const texts = await Promise.all(
      [
        [source, 'sue'],
        [target, 'tom'],
      ].map(async ([server, owner]) =>
        (await fetch(`${(server as TestServer).url}/api/v1/repos/${owner as string}/app/pulls/${number}.diff`)).text(),
      ),
    )
    expect(texts[1]).toBe(texts[0])
  })

  it('has the reviews, their comments and the protection', async () => {
    const [theirs, ours] = await both('pulls/1/reviews')
    const members = ['state', 'body', 'commit_id', 'comments_count', 'stale', 'dismissed', 'submitted_at']
    expect(ours.map((review: Any) => pick(review, members))).toEqual(theirs.map((review: Any) => pick(review, members)))
    const lists = [
      (await sue.client.get(`/repos/sue/app/pulls/1/reviews/${theirs[0].id}/comments`)).json,
      (await tom.client.get(`/repos/tom/app/pulls/1/reviews/${ours[0].id}/comments`)).json,
    ]
    const places = ['body', 'path', 'position', 'original_position', 'diff_hunk', 'commit_id', 'created_at']
    expect(lists[1].map((comment: Any) => pick(comment, places))).toEqual(
      lists[0].map((comment: Any) => pick(comment, places)),
    )
    expect(lists[1]).toHaveLength(2)
    for (const imported of [...ours, ...lists[1]])
      expect(imported).toMatchObject({ original_author: 'fay', original_author_id: fay.user.id })
    const timeline = (await tom.client.get('/repos/tom/app/issues/1/timeline')).json as Any[]
    expect(timeline.find(({ type }) => type === 'review')).toMatchObject({ original_author: 'fay' })
    const [theirRules, ourRules] = await both('branch_protections')
    const rule = ['rule_name', 'required_approvals', 'enable_push', 'priority']
    expect(ourRules.map((value: Any) => pick(value, rule))).toEqual(theirRules.map((value: Any) => pick(value, rule)))
  })

  it('serves the heads by git, and takes the next number and a merge', async () => {
    const { stdout } = await target.app.git
      .open(
        await target.app.database.read
          .selectFrom('repo')
          .select(['storage', 'object_format as objectFormat'])
          .where('name', '=', 'app')
          .executeTakeFirstOrThrow(),
      )
      .command.run(['for-each-ref', '--format=%(refname)', 'refs/pull'])
    expect(stdout.toString().trim().split('\n')).toEqual([1, 2, 3, 4].map((number) => `refs/pull/${number}/head`))
    const next = await tom.client.post('/repos/tom/app/issues', { title: 'next' })
    expect(next.json).toMatchObject({ number: 5 })
    await tom.client.delete('/repos/tom/app/branch_protections/main')
    const merged = await tom.client.post('/repos/tom/app/pulls/4/merge', { Do: 'merge' })
    expect(merged.status, JSON.stringify(merged.json)).toBe(200)
    expect((await tom.client.get('/repos/tom/app/contents/forked.txt')).status).toBe(200)
  })

  it('notifies nobody', async () => {
    expect((await tom.client.get('/notifications?all=true')).json).toEqual([])
    const feed = (await tom.client.get('/users/tom/activities/feeds')).json
    expect(feed.map(({ op_type }: Any) => op_type).filter((type: string) => type !== 'create_repo')).not.toContain(
      'create_pull_request',
    )
  })
})
