import { beforeAll, expect, it } from 'vitest'
import { publishPackage } from '../../harness/packages.ts'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { viewerOf } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../../issues/issue-world.ts'
import { createMessages, type Messages, namesOf, type SentMessage } from './messages.ts'

const ALL = { admin: true, push: true, pull: true }
const NOTHING = { admin: false, push: false, pull: false }
const WRITER = { admin: false, push: true, pull: true }

describeOnBoth('payloads of webhooks', (kind) => {
  const world = issueWorld({ on: kind })
  let messages: Messages

  beforeAll(async () => {
    messages = createMessages(world.server)
    await messages.take()
  })

  /** The only message since the last call. */
  const taken = async (): Promise<SentMessage> => {
    const found = await messages.take()
    expect(namesOf(found)).toHaveLength(1)
    return found[0]!
  }
  const anonymous = async (path: string): Promise<Any> => (await world.server.anonymous.get(path)).json

  it('of issues show the issue, the repository and the sender as publicly visible', async () => {
    const { number } = await createIssue(world.wes, { body: 'text' })
    const { payload, ...names } = await taken()
    expect(names).toEqual({ event: 'issues', eventType: 'issues', action: 'opened' })
    expect(Object.keys(payload).toSorted()).toEqual(
      ['action', 'commit_id', 'issue', 'number', 'repository', 'sender'].toSorted(),
    )
    expect(payload).toMatchObject({ action: 'opened', number, commit_id: '' })
    expect(payload.issue).toEqual(await anonymous(`/repos/ann/desk/issues/${number}`))
    expect(payload.sender).toEqual(await anonymous('/users/wes'))
    expect(payload.sender).toMatchObject({
      login: 'wes',
      username: 'wes',
      email: `${world.wes.user.id}+wes@noreply.localhost`,
      is_admin: false,
      last_login: '0001-01-01T00:00:00Z',
    })
    const repository = await anonymous('/repos/ann/desk')
    expect(payload.repository).toEqual({ ...repository, owner: await anonymous('/users/ann'), permissions: WRITER })
  })

  it('of edited issues have the former texts', async () => {
    const { number } = await createIssue(world.ann, { title: 'Old', body: 'old' })
    await messages.take()
    const path = `/repos/ann/desk/issues/${number}`
    const labels = { added_labels: [], removed_labels: [] }
    await world.ann.client.patch(path, { title: 'New' })
    expect((await taken()).payload).toMatchObject({ action: 'edited', changes: { title: { from: 'Old' }, ...labels } })
    await world.ann.client.patch(path, { body: 'new' })
    const { payload } = await taken()
    expect(payload.changes).toEqual({ body: { from: 'old' }, ...labels })
    expect(payload.issue).toMatchObject({ title: 'New', body: 'new' })
    await world.ann.client.patch(path, { ref: 'refs/heads/main' })
    await world.ann.client.patch(path, { due_date: '2030-01-01T00:00:00Z' })
    expect(await messages.take()).toEqual([])
  })

  it('of the state contain the actor, and the issue in that state', async () => {
    const { number } = await createIssue(world.ann)
    await messages.take()
    await world.wes.client.patch(`/repos/ann/desk/issues/${number}`, { state: 'closed' })
    await world.ann.client.patch(`/repos/ann/desk/issues/${number}`, { state: 'open' })
    const [closed, reopened] = await messages.take()
    expect(closed!.payload).toMatchObject({ action: 'closed', issue: { state: 'closed' }, sender: { login: 'wes' } })
    expect(closed!.payload.issue.closed_at).toMatch(/^20/)
    expect(reopened!.payload).toMatchObject({
      action: 'reopened',
      issue: { state: 'open', closed_at: null },
      sender: { login: 'ann' },
    })
  })

  it('of labels, assignees and milestones have separate types', async () => {
    const { client } = world.ann
    const bug = (await client.post('/repos/ann/desk/labels', { name: 'bug', color: '#ff0000' })).json
    const late = (await client.post('/repos/ann/desk/labels', { name: 'late', color: '#00ff00' })).json
    const milestone = (await client.post('/repos/ann/desk/milestones', { title: 'one' })).json
    const { number } = await createIssue(world.ann, {
      labels: [bug.id],
      assignees: ['wes'],
      milestone: milestone.id,
      closed: true,
    })
    const created = await messages.take()
    expect(namesOf(created)).toEqual([
      'issues (issues) opened',
      'issue_label (issues) label_updated',
      'issue_milestone (issues) milestoned',
      'issue_assign (issues) assigned',
      'issues (issues) closed',
    ])
    expect(created[0]!.payload.issue).toMatchObject({ state: 'open', labels: [{ name: 'bug' }] })
    expect(created[1]!.payload.changes).toEqual({ added_labels: [bug], removed_labels: [], label: bug })
    expect(created[3]!.payload.issue.assignees).toMatchObject([{ login: 'wes' }])
    expect(created[2]!.payload.issue.milestone).toMatchObject({ title: 'one' })

    const path = `/repos/ann/desk/issues/${number}`
    await client.put(`${path}/labels`, { labels: [late.id] })
    await client.delete(`${path}/labels`)
    await client.patch(path, { assignees: [], milestone: 0 })
    const changed = await messages.take()
    expect(namesOf(changed)).toEqual([
      'issue_label (issues) label_updated',
      'issue_label (issues) label_cleared',
      'issue_assign (issues) unassigned',
      'issue_milestone (issues) demilestoned',
    ])
    expect(changed[0]!.payload.changes).toEqual({ added_labels: [late], removed_labels: [bug] })
    expect(changed[1]!.payload.changes).toEqual({ added_labels: [], removed_labels: [late], label: late })
    expect(changed[3]!.payload.issue).toMatchObject({ labels: [], assignee: null, milestone: null })
  })

  it('of deleted issues show the deleted issue', async () => {
    const { client } = world.ann
    const label = (await client.post('/repos/ann/desk/labels', { name: 'gone', color: '#0000ff' })).json
    const { number } = await createIssue(world.wes, { title: 'Second', body: 'text', labels: [label.id] })
    await client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['wes'] })
    const before = await anonymous(`/repos/ann/desk/issues/${number}`)
    await messages.take()
    await client.delete(`/repos/ann/desk/issues/${number}`)
    const { payload } = await taken()
    expect(payload).toMatchObject({ action: 'deleted', number, sender: { login: 'ann' } })
    expect(payload.issue).toEqual(before)
    expect(payload.issue).toMatchObject({ labels: [{ name: 'gone' }], assignee: { login: 'wes' } })
  })

  it('of comments have the comment, also when it is deleted', async () => {
    const { number } = await createIssue(world.ann)
    await messages.take()
    const path = `/repos/ann/desk/issues/${number}/comments`
    const { id } = (await world.wes.client.post(path, { body: 'a word' })).json
    const created = await taken()
    expect(created).toMatchObject({ event: 'issue_comment', eventType: 'issue_comment', action: 'created' })
    expect(Object.keys(created.payload).toSorted()).toEqual(
      ['action', 'comment', 'is_pull', 'issue', 'repository', 'sender'].toSorted(),
    )
    expect(created.payload.comment).toEqual(await anonymous(`/repos/ann/desk/issues/comments/${id}`))
    expect(created.payload).toMatchObject({ is_pull: false, issue: { number, comments: 1 }, sender: { login: 'wes' } })
    await world.ann.client.patch(`/repos/ann/desk/issues/comments/${id}`, { body: 'another word' })
    const edited = await taken()
    expect(edited.payload).toMatchObject({ action: 'edited', comment: { body: 'another word' } })
    expect(edited.payload.changes).toEqual({ body: { from: 'a word' }, added_labels: [], removed_labels: [] })
    const last = await anonymous(`/repos/ann/desk/issues/comments/${id}`)
    await world.ann.client.delete(`/repos/ann/desk/issues/comments/${id}`)
    const deleted = await taken()
    expect(deleted.payload).toMatchObject({ action: 'deleted', issue: { comments: 0 }, sender: { login: 'ann' } })
    expect(deleted.payload.comment).toEqual(last)
  })

  it('of releases have the texts of the event; drafts send nothing until they are published', async () => {
    const { client } = world.ann
    const path = '/repos/ann/desk/releases'
    const { id } = (await client.post(path, { tag_name: 'v1', name: 'One', body: 'text', draft: true })).json
    expect(await messages.take()).toEqual([])
    await client.patch(`${path}/${id}`, { draft: false })
    const published = await messages.take()
    expect(namesOf(published)).toEqual(['push (push) -', 'create (create) -', 'release (release) published'])
    const shown = (await client.get(`${path}/${id}`)).json
    expect(published[2]!.payload.release).toEqual({ ...shown, author: await anonymous('/users/ann') })
    expect(published[2]!.payload.repository.permissions).toEqual(ALL)
    await client.patch(`${path}/${id}`, { name: 'Uno' })
    await client.delete(`${path}/${id}`)
    const later = await messages.take()
    expect(namesOf(later)).toEqual(['release (release) updated', 'release (release) deleted'])
    expect(later.map(({ payload }) => payload.release.name)).toEqual(['Uno', 'Uno'])
    expect(Object.keys(later[1]!.payload).toSorted()).toEqual(['action', 'release', 'repository', 'sender'])
    await client.delete('/repos/ann/desk/tags/v1')
    await messages.take()
  })

  it('of wiki pages have the page and the message of the commit', async () => {
    const path = '/repos/ann/desk/wiki'
    const base64 = (text: string): string => Buffer.from(text).toString('base64')
    await world.ann.client.post(`${path}/new`, {
      title: 'First page',
      content_base64: base64('text'),
      message: 'begin',
    })
    const created = await taken()
    expect(created).toMatchObject({ event: 'wiki', eventType: 'wiki', action: 'created' })
    expect(Object.keys(created.payload).toSorted()).toEqual(['action', 'comment', 'page', 'repository', 'sender'])
    expect(created.payload).toMatchObject({ page: 'First-page', comment: 'begin', repository: { permissions: ALL } })
    await world.wes.client.patch(`${path}/page/First-page`, { content_base64: base64('more') })
    expect((await taken()).payload).toMatchObject({
      action: 'edited',
      page: 'First-page',
      sender: { login: 'wes' },
      repository: { permissions: ALL },
    })
    await world.ann.client.delete(`${path}/page/First-page`)
    expect((await taken()).payload).toMatchObject({ action: 'deleted', page: 'First-page' })
  })

  it('of statuses have the commit, and an absolute address', async () => {
    const { sha } = (await world.ann.client.get('/repos/ann/desk/commits')).json[0]
    const input = { state: 'success', context: 'ci', description: 'good', target_url: '/ann/desk/actions' }
    const status = (await world.wes.client.post(`/repos/ann/desk/statuses/${sha}`, input)).json
    const { payload, ...names } = await taken()
    expect(names).toEqual({ event: 'status', eventType: 'status' })
    expect(payload).toMatchObject({
      id: status.id,
      sha,
      state: 'success',
      context: 'ci',
      description: 'good',
      target_url: `${world.server.url}/ann/desk/actions`,
      created_at: status.created_at,
      updated_at: status.updated_at,
      commit: { id: sha, verification: null, added: ['README.md'] },
      repository: { permissions: ALL },
      sender: { login: 'wes' },
    })
  })

  it('of repositories have the owner as organization, also after its deletion', async () => {
    const { client } = world.ann
    await client.post('/user/repos', { name: 'brief', description: 'short', auto_init: false })
    const created = await taken()
    expect(created).toMatchObject({ event: 'repository', eventType: 'repository', action: 'created' })
    const owner = await anonymous('/users/ann')
    expect(created.payload).toMatchObject({ organization: owner, sender: owner, repository: { permissions: ALL } })
    const shown = created.payload.repository
    await client.delete('/repos/ann/brief')
    const { payload } = await taken()
    expect(Object.keys(payload).toSorted()).toEqual(['action', 'organization', 'repository', 'sender'])
    expect(payload).toMatchObject({ action: 'deleted', organization: owner })
    expect(payload.repository).toEqual(shown)
  })

  it('of forks have the base as forkee and the fork as repository', async () => {
    await world.server.world.user('cat').then(({ client }) => client.post('/repos/ann/desk/forks', {}))
    const found = await messages.take()
    expect(namesOf(found)).toEqual(['fork (fork) -', 'repository (repository) created'])
    const [fork, created] = found
    expect(fork!.payload).toMatchObject({
      forkee: { full_name: 'ann/desk', permissions: { admin: false, push: false, pull: true } },
      repository: { full_name: 'cat/desk', fork: true, parent: { full_name: 'ann/desk' }, permissions: ALL },
      sender: { login: 'cat' },
    })
    expect(created!.payload).toMatchObject({ repository: { full_name: 'cat/desk' }, organization: { login: 'cat' } })
  })

  it('do not show the private base of a fork', async () => {
    await world.ann.client.put('/repos/ann/vault/collaborators/wes', { permission: 'read' })
    await world.wes.client.post('/repos/ann/vault/forks', {})
    const [, created] = await messages.take()
    expect(created!.payload.repository).toMatchObject({ full_name: 'wes/vault', private: true, parent: null })
  })

  it('of packages have the package, its repository and an organization', async () => {
    const { app, world: people } = world.server
    const release = (version: string) => ({ type: 'npm', name: 'Tool', version })
    const wes = viewerOf(world.wes.user)
    await publishPackage(app, wes, world.ann.user, release('1.0'))
    const created = await taken()
    expect(created).toMatchObject({ event: 'package', eventType: 'package', action: 'created' })
    expect(Object.keys(created.payload).toSorted()).toEqual([
      'action',
      'organization',
      'package',
      'repository',
      'sender',
    ])
    const shown = {
      ...(await world.ann.client.get('/packages/ann/npm/tool/1.0')).json,
      owner: await anonymous('/users/ann'),
      creator: await anonymous('/users/wes'),
    }
    expect(created.payload).toEqual({
      action: 'created',
      repository: null,
      package: shown,
      organization: null,
      sender: await anonymous('/users/wes'),
    })
    expect(shown.creator.login).toBe('wes')
    await expect(publishPackage(app, wes, world.ann.user, release('1.0'))).rejects.toThrow('already exists')
    await publishPackage(app, wes, world.ann.user, release('2.0'))
    await world.ann.client.post('/packages/ann/npm/tool/-/link/desk')
    await messages.take()
    await world.ann.client.delete('/packages/ann/npm/tool')
    const deleted = await messages.take()
    expect(deleted.map(({ payload }) => [payload.action, payload.package.name, payload.package.version])).toEqual([
      ['deleted', 'Tool', '2.0'],
      ['deleted', 'Tool', '1.0'],
    ])
    expect(deleted[1]!.payload.package).toEqual({ ...shown, repository: deleted[1]!.payload.repository })
    expect(deleted[1]!.payload).toMatchObject({ repository: { full_name: 'ann/desk' }, sender: { login: 'ann' } })
    const { org } = await people.org('guild', { owner: world.ann })
    await publishPackage(app, wes, org, release('1.0'))
    expect((await taken()).payload).toMatchObject({
      organization: await anonymous('/orgs/guild'),
      package: { owner: { login: 'guild' } },
    })
    await world.ann.client.delete('/packages/guild/npm/tool/1.0')
    expect((await taken()).payload).toMatchObject({ action: 'deleted', package: { version: '1.0' } })
  })

  it('of workflows have the run or the job as it was at the event', async () => {
    const { app } = world.server
    const { client } = world.ann
    const text = 'name: CI\non: workflow_dispatch\njobs:\n  a: { runs-on: x }\n  b: { needs: a, runs-on: x }\n'
    const content = Buffer.from(text).toString('base64')
    await client.post('/repos/ann/desk/contents/.gitea/workflows/ci.yml', { content })
    await messages.take()
    const path = '/repos/ann/desk/actions'
    const start = async (): Promise<number> =>
      (await world.wes.client.post(`${path}/workflows/ci.yml/dispatches?return_run_details=1`, { ref: 'main' })).json
        .workflow_run_id
    const id = await start()
    const shown = (await client.get(`${path}/runs/${id}`)).json
    const { jobs } = (await client.get(`${path}/runs/${id}/jobs`)).json
    const set = (status: string, jobStatus = status) =>
      app.database.transaction(async (tx) => {
        await tx
          .updateTable('action_run')
          .set({ status: status as 'running', started_at: 1000 })
          .where('id', '=', id)
          .execute()
        await tx
          .updateTable('action_job')
          .set({ status: jobStatus as 'running', started_at: 1000 })
          .where('run_id', '=', id)
          .execute()
      })
    await set('running')
    const [run, first, second, ...more] = await messages.take()
    expect(namesOf([run!, first!, second!, ...more])).toEqual([
      'workflow_run (workflow_run) requested',
      'workflow_job (workflow_job) queued',
      'workflow_job (workflow_job) waiting',
    ])
    const { repository } = run!.payload
    expect(Object.keys(run!.payload).toSorted()).toEqual(['action', 'repository', 'sender', 'workflow', 'workflow_run'])
    const sender = await anonymous('/users/wes')
    expect(run!.payload).toMatchObject({ sender, repository: { full_name: 'ann/desk', permissions: ALL } })
    expect(run!.payload.workflow).toEqual((await client.get(`${path}/workflows/ci.yml`)).json)
    expect(run!.payload.workflow_run).toEqual({ ...shown, repository, actor: sender, trigger_actor: sender })
    expect([first!, second!].map(({ payload }) => payload.workflow_job)).toEqual(jobs)

    const payload = { repo_id: repository.id, run_id: id, number: shown.run_number, workflow: 'ci.yml' }
    const changed = (status: 'running' | 'failure', withRun: boolean) =>
      app.database.transaction((tx) =>
        app.events.append(
          tx,
          'action_job.changed',
          { actor: { account: { id: 0 } }, repoId: repository.id, at: Date.now() },
          { ...payload, job_id: jobs[0].id, status, ...(withRun && { run_status: status }) },
        ),
      )
    await changed('running', true)
    await set('failure')
    await changed('failure', false)
    const later = await messages.take()
    expect(namesOf(later)).toEqual([
      'workflow_job (workflow_job) in_progress',
      'workflow_run (workflow_run) in_progress',
      'workflow_job (workflow_job) completed',
    ])
    expect(later[0]!.payload).toMatchObject({
      workflow_job: { id: jobs[0].id, status: 'in_progress', started_at: '1970-01-01T00:00:01Z' },
      sender: { login: 'wes' },
    })
    expect(later[1]!.payload.workflow_run).toMatchObject({ status: 'in_progress' })
    expect(later[2]!.payload.workflow_job).toMatchObject({ status: 'completed', conclusion: 'failure' })
    await client.post(`${path}/runs/${id}/jobs/${jobs[1].id}/rerun`)
    await set('failure')
    const again = await messages.take()
    expect(namesOf(again)).toEqual(['workflow_run (workflow_run) requested', 'workflow_job (workflow_job) queued'])
    expect(again[1]!.payload.workflow_job).toMatchObject({
      name: 'b',
      status: 'queued',
      started_at: '1970-01-01T00:00:00Z',
    })
    expect(again[1]!.payload.sender.login).toBe('ann')
    await client.delete(`${path}/runs/${id}`)
    expect(await messages.take()).toEqual([])
  })

  it('show a deleted sender as the ghost', async () => {
    const { client, name } = await world.server.world.user('dan')
    const { number } = await createIssue({ client } as never, { title: 'Soon without author' })
    const admin = await world.server.world.admin()
    await admin.client.delete(`/admin/users/${name}`)
    const opened = (await messages.take()).find(({ eventType }) => eventType === 'issues')!
    expect(opened.payload).toMatchObject({
      number,
      sender: { id: -1, login: 'Ghost' },
      repository: { permissions: NOTHING },
    })
  })
})
