import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'
import { answers } from './forge-world.ts'
import { migrate } from './import-world.ts'
import { createMergedHistory } from './merged-history.ts'
import { startUpstream, type Upstream } from './upstream.ts'

const at = (day: number): string => new Date(Date.UTC(2020, 0, day)).toISOString().replace('.000', '')
const ann = { id: 11, username: 'ann' }
const bob = { id: 12, username: 'bob' }
const HASH = '0123456789abcdef0123456789abcdef'
const NAME = 'group/sub/app'
const INTERNAL = 'was not imported: it is internal'

describeOnBoth('an import of everything from GitLab', (kind) => {
  let upstream: Upstream
  let target: TestServer
  let tom: Person
  let base: string
  let head: string
  let merge: string

  beforeAll(async () => {
    upstream = await startUpstream()
    target = await startServer({ on: kind, tuning: { importSleep: async () => {} } })
    tom = await target.world.user('tom')
    await target.world.user('ann')
    ;({ base, head, merge } = await createMergedHistory(upstream, NAME, [
      'refs/merge-requests/1/head',
      'refs/merge-requests/2/head',
    ]))
    await upstream.create(`${NAME}.wiki`)
    serveProject()
    serveIssues()
    serveMergeRequests()
    const made = await migrate(tom, {
      clone_addr: `${upstream.url}/${NAME}.git`,
      repo_name: 'app',
      service: 'gitlab',
      auth_token: 'secret',
      wiki: true,
      labels: true,
      milestones: true,
      issues: true,
      pull_requests: true,
      releases: true,
    })
    expect([made.status, made.json.message]).toEqual([201, undefined])
    expect(made.headers.get('x-ingot-warning')!.split('; ').toSorted()).toEqual(
      [
        `the comment issues/1/notes/103 ${INTERNAL}`,
        `the comment merge_requests/1/notes/206 ${INTERNAL}`,
        'issue #4 was not imported: it is confidential',
        'users and teams of the protection of branches main that are unknown here were left out',
      ].toSorted(),
    )
    await target.drain()
  }, 60_000)
  afterAll(async () => {
    await target.close()
    await upstream.close()
  })

  const serve = (path: string, items: readonly object[], of = 'projects/7'): unknown =>
    upstream.routes.set(`GET /api/v4/${of}/${path}`, answers(items, { 'x-total': String(items.length) }))

  function serveProject(): void {
    const facts = {
      id: 7,
      path_with_namespace: NAME,
      description: 'An app',
      visibility: 'private',
      default_branch: 'main',
      topics: ['wood'],
      namespace: { kind: 'group', full_path: 'group/sub' },
    }
    upstream.routes.set(`GET /api/v4/projects/${encodeURIComponent(NAME)}`, answers(facts))
    serve('labels', [
      { name: 'kind::bug', color: '#ee0701', description: null },
      { name: 'fun', color: '#00ff00', description: 'f' },
    ])
    serve('milestones', [
      { id: 31, iid: 1, title: 'one', state: 'closed', due_date: '2020-02-09', created_at: at(1), updated_at: at(9) },
    ])
    const own = { id: 40, iid: 1, title: 'group', state: 'active' }
    const ancestors = [own, { id: 41, iid: 1, title: 'top group', state: 'active' }]
    upstream.routes.set('GET /api/v4/groups/group%2Fsub/milestones', (request, response) => {
      const milestones = /[?&]include_ancestors=true&/.test(request.url!) ? ancestors : [own]
      answers(milestones, { 'x-total': String(milestones.length) })(request, response)
    })
    serve('releases', [
      {
        tag_name: 'v1',
        name: 'One',
        description: 'see !1',
        author: bob,
        created_at: at(1),
        released_at: at(3),
        assets: { links: [{ name: 'package', url: 'https://files.example/p', direct_asset_url: '' }] },
      },
    ])
    const developers = [{ access_level: 30, access_level_description: 'Developers + Maintainers' }]
    const maintainers = [{ access_level: 40, access_level_description: 'Maintainers' }]
    serve('protected_branches', [
      {
        name: 'main',
        push_access_levels: maintainers,
        merge_access_levels: [...developers, { access_level: 40, group_id: 3, access_level_description: 'core' }],
        allow_force_push: true,
      },
      { name: 'rel-*', push_access_levels: developers, merge_access_levels: maintainers, allow_force_push: true },
    ])
    serve('protected_tags', [
      { name: 'v*', create_access_levels: maintainers },
      { name: 'w*', create_access_levels: developers },
    ])
  }

  function serveIssues(): void {
    const basics = { author: ann, state: 'opened', created_at: at(1), updated_at: at(8) }
    const one = {
      ...basics,
      iid: 1,
      title: 'Lamp',
      description: `see !1, #3 and @ann \`!1\`\n![image](/uploads/${HASH}/a.png)`,
      state: 'closed',
      closed_at: at(7),
      discussion_locked: true,
      labels: ['kind::bug'],
      milestone: { id: 31 },
      assignees: [ann],
      due_date: '2020-03-04',
      time_stats: { time_estimate: 3600, total_time_spent: 60 },
      user_notes_count: 2,
    }
    serve('issues', [
      one,
      { ...basics, iid: 3, title: 'Three', author: null, milestone: { id: 40 }, user_notes_count: 0 },
      { ...basics, iid: 4, title: 'Secret', confidential: true, user_notes_count: 1 },
    ])
    upstream.routes.set(`GET /api/v4/projects/7/uploads/${HASH}/a.png`, (request, response) => {
      expect(request.headers['private-token']).toBe('secret')
      response.end('GIF89a')
    })
    serve('issues/1/award_emoji', [
      { name: 'thumbsup', user: bob, created_at: at(5) },
      { name: 'unicorn', user: bob, created_at: at(5) },
    ])
    serve('issues/1/notes', [
      { id: 101, body: 'first', author: bob, created_at: at(2), updated_at: at(3), system: false },
      {
        id: 102,
        body: 'changed title from **{-Lmap-}** to **{+Lamp+}**',
        author: ann,
        created_at: at(3),
        system: true,
      },
      { id: 103, body: 'between us', author: bob, created_at: at(4), system: false, internal: true },
      { id: 104, body: 'mentioned in merge request !1', author: bob, created_at: at(4), system: true },
      { id: 105, body: 'locked the discussion in this issue', author: ann, created_at: at(6), system: true },
    ])
    serve('issues/4/notes', [{ id: 190, body: 'secret', author: bob, created_at: at(2) }])
    serve('issues/1/notes/101/award_emoji', [{ name: 'tada', user: ann, created_at: at(4) }])
    serve('issues/1/resource_state_events', [{ user: bob, created_at: at(7), state: 'closed' }])
    const label = { id: 1, name: 'kind::bug' }
    serve('issues/1/resource_label_events', [{ user: ann, created_at: at(2), label, action: 'add' }])
    serve('issues/1/resource_milestone_events', [
      { user: ann, created_at: at(5), milestone: { id: 31 }, action: 'add' },
    ])
    serve('issues/1/links', [{ iid: 3, project_id: 7, link_type: 'is_blocked_by' }])
  }

  function serveMergeRequests(): void {
    const basics = {
      author: bob,
      target_branch: 'main',
      source_branch: 'topic',
      source_project_id: 7,
      target_project_id: 7,
      sha: head,
      diff_refs: { base_sha: base, start_sha: base, head_sha: head },
      created_at: at(2),
      updated_at: at(6),
    }
    const one = {
      ...basics,
      iid: 1,
      title: 'Topic',
      description: 'closes #1',
      state: 'merged',
      merged_at: at(6),
      merge_user: ann,
      merge_commit_sha: merge,
      time_stats: { time_estimate: 0, total_time_spent: 90 },
    }
    const two = {
      ...basics,
      iid: 2,
      title: 'Draft: fork',
      state: 'opened',
      draft: true,
      source_project_id: 8,
      reviewers: [ann],
    }
    serve('merge_requests', [one, two])
    for (const pull of [one, two])
      upstream.routes.set(`GET /api/v4/projects/7/merge_requests/${pull.iid}`, answers(pull))
    const approvals = { approved_by: [{ user: ann }, { user: bob, approved_at: at(4) }] }
    upstream.routes.set('GET /api/v4/projects/7/merge_requests/1/approvals', answers(approvals))
    const line = { id: 202, type: 'DiffNote', body: 'why', author: ann, created_at: at(4), updated_at: at(5) }
    const notes = [
      { id: 201, body: 'talk', author: ann, created_at: at(3), updated_at: at(3) },
      {
        ...line,
        resolved: true,
        resolved_by: bob,
        position: {
          base_sha: base,
          head_sha: head,
          old_path: 'topic.txt',
          new_path: 'topic.txt',
          old_line: null,
          new_line: 1,
        },
      },
      { ...line, id: 203, body: 'so', author: bob, created_at: at(5) },
      { id: 205, body: 'approved this merge request', author: ann, created_at: at(5), system: true },
      { id: 206, body: 'between us', author: ann, created_at: at(5), internal: true },
    ]
    serve('merge_requests/1/notes', notes)
    serve('merge_requests/1/discussions', [
      { id: 'a', notes: [notes[0]] },
      { id: 'b', notes: [notes[1], notes[2]] },
      { id: 'c', notes: [notes[3]] },
    ])
    serve('merge_requests/1/notes/202/award_emoji', [{ name: 'thumbsup', user: bob, created_at: at(5) }])
    serve('merge_requests/1/resource_state_events', [{ user: ann, created_at: at(6), state: 'merged' }])
  }

  const get = async (path: string): Promise<Any> => {
    const { status, json } = await tom.client.get(`/repos/tom/app${path}`)
    expect([path, status]).toEqual([path, 200])
    return json
  }
  const timeline = async (number: number): Promise<Any[]> => {
    const entries: Any[] = await get(`/issues/${number}/timeline`)
    return entries.filter(({ type }) => type !== 'comment' && type !== 'review')
  }

  it('has the repository, its wiki, labels, milestones and counters', async () => {
    expect(await get('')).toMatchObject({
      description: 'An app',
      topics: ['wood'],
      private: false,
      has_wiki: true,
      open_issues_count: 1,
      open_pr_counter: 1,
      release_counter: 1,
    })
    expect(await upstream.run(NAME, 'ls-remote', `${target.url}/tom/app.wiki.git`)).toContain('refs/heads/main')
    expect(await get('/labels')).toMatchObject([
      { name: 'fun', color: '00ff00', description: 'f', exclusive: false },
      { name: 'kind/bug', color: 'ee0701', exclusive: true },
    ])
    expect(await get('/milestones?state=all')).toMatchObject([
      { title: 'group', state: 'open', open_issues: 1 },
      { title: 'top group', state: 'open', open_issues: 0 },
      { title: 'one', state: 'closed', created_at: at(1), closed_at: at(9), closed_issues: 1 },
    ])
    expect((await tom.client.post('/repos/tom/app/issues', { title: 'next' })).json.number).toBe(7)
  })

  it('has issues with authors, times, estimates, locks, reactions and files', async () => {
    const issue = await get('/issues/1')
    const [asset] = issue.assets
    expect(issue).toMatchObject({
      title: 'Lamp',
      body: `see !5, #3 and @ann \`!1\`\n![image](${target.app.site.rootUrl()}/attachments/${asset.uuid})`,
      user: { login: 'tom' },
      original_author: 'ann',
      original_author_id: 11,
      state: 'closed',
      is_locked: true,
      labels: [{ name: 'kind/bug' }],
      milestone: { title: 'one' },
      comments: 1,
      time_estimate: 3600,
      created_at: at(1),
      updated_at: at(8),
      closed_at: at(7),
    })
    expect([issue.due_date.slice(0, 10), issue.assignees ?? [], asset.name]).toEqual(['2020-03-04', [], 'a.png'])
    expect(await get('/issues/3')).toMatchObject({ original_author: 'Ghost', milestone: { title: 'group' } })
    expect((await tom.client.get('/repos/tom/app/issues/4')).status).toBe(404)
    expect(await get('/issues/1/reactions')).toMatchObject([
      { content: '+1', created_at: at(5), user: { login: 'bob(gitlab)' } },
    ])
    const comments = await get('/issues/1/comments')
    expect(comments).toMatchObject([
      { body: 'first', original_author: 'bob', original_author_id: 12, created_at: at(2), updated_at: at(3) },
    ])
    expect(await get(`/issues/comments/${comments[0].id}/reactions`)).toMatchObject([{ content: 'hooray' }])
    expect(await get('/times')).toMatchObject([{ time: 60 }, { time: 90 }])
    expect(await get('/issues/1/dependencies')).toMatchObject([{ number: 3 }])
    expect((await timeline(1)).map(({ type, created_at }) => [type, created_at])).toEqual([
      ['label', at(2)],
      ['change_title', at(3)],
      ['pull_ref', at(4)],
      ['milestone', at(5)],
      ['lock', at(6)],
      ['close', at(7)],
      ['add_time_manual', at(8)],
    ])
  })

  it('has merge requests after the issues, with their heads, merges, threads and approvals', async () => {
    expect(await get('/pulls/5')).toMatchObject({
      title: 'Topic',
      body: 'closes #1',
      state: 'closed',
      merged: true,
      merged_at: at(6),
      merge_commit_sha: merge,
      merge_base: base,
      original_author: 'bob',
      head: { ref: 'refs/pull/5/head', sha: head },
      base: { ref: 'main' },
    })
    expect(await get('/pulls/6')).toMatchObject({
      title: 'Draft: fork',
      state: 'open',
      draft: true,
      head: { sha: head },
    })
    expect(await get('/pulls/5/files')).toMatchObject([{ filename: 'topic.txt', additions: 1 }])
    expect(await get('/issues/5/comments')).toMatchObject([{ body: 'talk', original_author: 'ann' }])
    const reviews: Any[] = await get('/pulls/5/reviews')
    expect(reviews.map(({ state, submitted_at, original_author }) => [state, submitted_at, original_author])).toEqual([
      ['COMMENT', at(4), 'ann'],
      ['APPROVED', at(5), 'ann'],
      ['APPROVED', at(4), 'bob'],
    ])
    const comments = await get(`/pulls/5/reviews/${reviews[0].id}/comments`)
    expect(comments).toMatchObject([
      { path: 'topic.txt', position: 1, body: 'why', commit_id: head, created_at: at(4), updated_at: at(5) },
      { path: 'topic.txt', position: 1, body: 'so', original_author: 'bob' },
    ])
    expect(comments[0].resolver).not.toBeNull()
    expect(comments[0].diff_hunk).toContain('+topic.txt')
    expect(await get(`/issues/comments/${comments[0].id}/reactions`)).toMatchObject([{ content: '+1' }])
    expect((await timeline(5)).map(({ type }) => type)).toEqual(['merge_pull', 'add_time_manual'])
    const refs = await upstream.run(NAME, 'ls-remote', `${target.url}/tom/app.git`, 'refs/pull/*')
    expect(refs.trim().split('\n')).toEqual([5, 6].map((number) => `${head}\trefs/pull/${number}/head`))
  })

  it('has releases with links, and protections of branches and tags', async () => {
    expect(await get('/releases')).toMatchObject([
      {
        tag_name: 'v1',
        name: 'One',
        body: 'see !5',
        published_at: at(3),
        original_author: 'bob',
        assets: [{ name: 'package', browser_download_url: 'https://files.example/p' }],
      },
    ])
    const rules: Any[] = await get('/branch_protections')
    expect(
      rules.map((rule) => [rule.rule_name, rule.enable_push, rule.enable_force_push, rule.enable_merge_whitelist]),
    ).toEqual([
      ['main', false, false, false],
      ['rel-**', true, true, true],
    ])
    expect(await get('/tag_protections')).toMatchObject([{ name_pattern: 'v**', whitelist_usernames: [] }])
  })

  it('notifies nobody and adds one entry to the feed', async () => {
    expect((await tom.client.get('/notifications?all=true')).json).toEqual([])
    const feed: Any[] = (await tom.client.get('/users/tom/activities/feeds')).json
    expect(feed.filter(({ op_type }) => op_type !== 'create_issue').map(({ op_type }) => op_type)).toEqual([
      'create_repo',
    ])
  })
})
