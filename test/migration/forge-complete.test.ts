import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { answers, documentedForge, forgeWorld } from './forge-world.ts'
import { migrate } from './import-world.ts'

const EVERYTHING = { issues: true, pull_requests: true, labels: true, milestones: true, releases: true }
const at = '2020-01-01T00:00:00Z'

const read = async (person: Person, path: string): Promise<Any> => {
  const answer = await person.client.get(`/repos/tom/${path}`)
  expect(answer.status, path).toBe(200)
  return answer.json
}

describe('a complete import from another server', () => {
  const given = forgeWorld()
  let source: TestServer
  let sue: Person

  beforeAll(async () => {
    source = await startServer()
    sue = await source.world.user('sue')
    await source.world.repo({ owner: sue, name: 'app', isPrivate: true, autoInit: true })
  })
  afterAll(() => source.close())

  const post = async (path: string, body: object): Promise<Any> => {
    const answer = await sue.client.post(`/repos/sue/app/${path}`, body)
    expect(answer.status, JSON.stringify(answer.json)).toBeLessThan(300)
    return answer.json
  }

  it('has the issues, pull requests, comments and reviews of Gitea', async () => {
    const label = await post('labels', { name: 'bug', color: '#ff0000' })
    const milestone = await post('milestones', { title: 'v1' })
    await post('issues', { title: 'One', body: 'first', labels: [label.id], milestone: milestone.id })
    await post('issues/1/comments', { body: 'a comment' })
    await post('issues/1/reactions', { content: 'heart' })
    for (const branch of ['side', 'done'])
      await post(`contents/${branch}.txt`, {
        content: Buffer.from('a\nb\n').toString('base64'),
        message: 'Add',
        branch: 'main',
        new_branch: branch,
      })
    await post('pulls', { head: 'side', base: 'main', title: 'Open', body: 'of it' })
    await post('pulls/2/reviews', {
      event: 'COMMENT',
      body: 'seen',
      comments: [{ path: 'side.txt', body: 'here', new_position: 2 }],
    })
    await post('pulls', { head: 'done', base: 'main', title: 'Merged' })
    await post('pulls/3/merge', { Do: 'merge' })
    const made = await migrate(given.tom, {
      clone_addr: `${source.url}/sue/app.git`,
      repo_name: 'gitea-app',
      service: 'gitea',
      auth_username: 'sue',
      auth_password: PASSWORD,
      ...EVERYTHING,
    })
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([201, null])
    expect(made.json).toMatchObject({ open_issues_count: 1, open_pr_counter: 1 })
    expect(await read(given.tom, 'gitea-app/issues/1')).toMatchObject({
      title: 'One',
      body: 'first',
      original_author: 'sue',
      labels: [{ name: 'bug' }],
      milestone: { title: 'v1' },
      comments: 1,
    })
    expect(await read(given.tom, 'gitea-app/issues/1/comments')).toMatchObject([
      { body: 'a comment', original_author: 'sue' },
    ])
    expect(await read(given.tom, 'gitea-app/issues/1/reactions')).toMatchObject([{ content: 'heart' }])
    expect(await read(given.tom, 'gitea-app/pulls/2')).toMatchObject({ title: 'Open', state: 'open', merged: false })
    expect(await read(given.tom, 'gitea-app/pulls/2/files')).toMatchObject([{ filename: 'side.txt' }])
    expect(await read(given.tom, 'gitea-app/pulls/3')).toMatchObject({ title: 'Merged', merged: true })
    const [review] = await read(given.tom, 'gitea-app/pulls/2/reviews')
    expect(review).toMatchObject({ state: 'COMMENT', body: 'seen', comments_count: 1 })
    expect(await read(given.tom, `gitea-app/pulls/2/reviews/${review.id}/comments`)).toMatchObject([
      { path: 'side.txt', body: 'here', position: 2 },
    ])
  })
})

describe('a complete import from a documented service', () => {
  const given = documentedForge()
  const user = { id: 5, login: 'ann', username: 'ann' }

  /** A branch whose commit is also the head of a pull request, under the name of the service. */
  async function pushHead(repo: string, ref: string): Promise<string> {
    const { upstream } = given
    await upstream.run(repo, 'checkout', '-q', '-b', 'side')
    const oid = (await upstream.commit(repo, 'side.txt')).trim()
    await upstream.run(repo, 'push', '-q', 'origin', `HEAD:${ref}`)
    await upstream.run(repo, 'checkout', '-q', 'main')
    return oid
  }

  it('has the issues and pull requests of GitHub', async () => {
    const oid = await pushHead('octo/app', 'refs/pull/2/head')
    const base = 'GET /api/v3/repos/octo/app'
    const pull = { number: 2, title: 'Two', state: 'open', user, pull_request: {}, created_at: at }
    const { routes } = given.upstream
    const list = (path: string, items: readonly object[]): void => {
      const query = `${path.includes('?') ? '&' : '?'}page=1&per_page=100`
      routes.set(`${base}/${path}${query}`, answers(items))
    }
    routes.set(base, answers({ description: 'Octo' }))
    for (const path of ['labels', 'milestones?state=all', 'releases', 'pulls/2/comments']) list(path, [])
    const one = { number: 1, title: 'One', body: 'see #2', state: 'closed', user: null, created_at: at, closed_at: at }
    list('issues?state=all&sort=created&direction=asc', [one, { ...pull, pull_request: { url: 'x' } }])
    list('issues/comments?sort=created&direction=asc', [
      {
        id: 7,
        issue_url: 'x/issues/1',
        html_url: 'x/issues/1#issuecomment-7',
        body: 'a comment',
        user,
        created_at: at,
      },
    ])
    list('issues/1/timeline', [{ event: 'closed', actor: user, created_at: at }])
    list('issues/2/timeline', [])
    list('pulls/2/reviews', [{ id: 9, state: 'APPROVED', body: 'good', user, submitted_at: at, commit_id: oid }])
    const ends = { head: { ref: 'side', sha: oid, repo: { id: 1 } }, base: { ref: 'main', repo: { id: 1 } } }
    routes.set(`${base}/pulls/2`, answers({ ...pull, ...ends }))
    const made = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/octo/app.git`,
      repo_name: 'github-app',
      service: 'github',
      ...EVERYTHING,
    })
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([201, null])
    expect(await read(given.tom, 'github-app/issues/1')).toMatchObject({
      title: 'One',
      state: 'closed',
      closed_at: at,
      original_author: 'Ghost',
      original_author_id: -1,
      comments: 1,
    })
    expect(await read(given.tom, 'github-app/pulls/2')).toMatchObject({
      state: 'open',
      head: { ref: 'side', sha: oid },
    })
    expect(await read(given.tom, 'github-app/pulls/2/reviews')).toMatchObject([{ state: 'APPROVED', body: 'good' }])
  })

  it('has the issues and merge requests of GitLab, with new numbers', async () => {
    const oid = await pushHead('group/sub/app', 'refs/merge-requests/1/head')
    const { routes } = given.upstream
    const base = 'GET /api/v4/projects/7'
    const list = (path: string, items: readonly object[]): void => {
      const query = `${path.includes('?') ? '&' : '?'}page=1&per_page=100`
      routes.set(`${base}/${path}${query}`, answers(items, { 'x-total': String(items.length) }))
    }
    routes.set('GET /api/v4/projects/group%2Fsub%2Fapp', answers({ id: 7, path_with_namespace: 'group/sub/app' }))
    const issue = { iid: 1, title: 'One', description: 'see !1', state: 'opened', author: user, created_at: at }
    given.upstream.before = (path) => {
      // The address of the list names the time of the import.
      if (path !== '/api/v4/projects/7/issues') return
      for (const key of given.upstream.requests.slice(-1)) routes.set(key, answers([issue], { 'x-total': '1' }))
    }
    const merge = {
      iid: 1,
      title: 'Mine',
      state: 'opened',
      author: user,
      created_at: at,
      source_branch: 'side',
      target_branch: 'main',
      sha: oid,
    }
    list('merge_requests?scope=all&state=all&order_by=created_at&sort=asc', [merge])
    routes.set(`${base}/merge_requests/1`, answers(merge))
    list('issues/1/notes?sort=asc&order_by=created_at', [{ id: 8, body: 'see !1 too', author: user, created_at: at }])
    const made = await migrate(given.tom, {
      clone_addr: `${given.upstream.url}/group/sub/app.git`,
      repo_name: 'gitlab-app',
      service: 'gitlab',
      ...EVERYTHING,
    })
    given.upstream.before = () => {}
    expect([made.status, made.headers.get('x-ingot-warning')]).toEqual([201, null])
    expect(await read(given.tom, 'gitlab-app/issues/1')).toMatchObject({ body: 'see !2', original_author: 'ann' })
    expect(await read(given.tom, 'gitlab-app/issues/1/comments')).toMatchObject([{ body: 'see !2 too' }])
    expect(await read(given.tom, 'gitlab-app/pulls/2')).toMatchObject({ title: 'Mine', head: { sha: oid } })
  })
})
