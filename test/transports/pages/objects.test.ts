import { expect, it } from 'vitest'
import { accessibilityProblems } from '../../harness/accessible.ts'
import { createActionsFactory } from '../../harness/actions.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { addPackageVersion } from '../../harness/packages.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'

describeOnBoth('pages of milestones, labels, runs, packages and notifications', (on) => {
  const given = issueWorld({ on })

  async function open(address: string, token?: string): Promise<{ status: number; text: string }> {
    const url = address.startsWith('http') ? address : given.server.url + address
    const answer = await fetch(url, { headers: token === undefined ? {} : { authorization: `token ${token}` } })
    return { status: answer.status, text: await answer.text() }
  }

  /** A page for the token that is there, breaks no rule of accessibility and has these texts. */
  async function expectPage(address: string, parts: readonly string[], token?: string): Promise<string> {
    const { status, text } = await open(address, token)
    expect([address, status]).toEqual([address, 200])
    for (const part of parts) expect([address, text]).toEqual([address, expect.stringContaining(part)])
    expect([address, await accessibilityProblems(text)]).toEqual([address, []])
    return text
  }

  it('show labels, and milestones with their issues', async () => {
    const { ann } = given
    const make = async (path: string, body: object) => (await ann.client.post(`/repos/ann/desk${path}`, body)).json
    await make('/labels', { name: 'wet <b>', color: '#ff0000', description: 'Not dry' })
    const spring = await make('/milestones', { title: 'Spring <b>', description: 'Sow' })
    await createIssue(ann, { title: 'Dig', milestone: spring.id })
    await createIssue(ann, { title: 'Not in it' })
    await expectPage('/ann/desk/labels', ['wet &lt;b&gt;', 'Not dry'])
    await expectPage('/ann/desk/milestones', ['Spring &lt;b&gt;', `/ann/desk/milestone/${spring.id}"`, '1 open'])
    const page = await expectPage(`/ann/desk/milestone/${spring.id}`, ['Spring &lt;b&gt;', 'Sow', 'Dig'])
    expect(page).not.toContain('Not in it')
    expect((await open('/ann/desk/milestone/9999')).status).toBe(404)
  })

  it('show runs, their jobs, and logs in pages to those who signed in', async () => {
    const { ann, bob, server } = given
    const factory = createActionsFactory(server.app)
    const repo = (await ann.client.get('/repos/ann/desk')).json
    const made = { title: 'Push <b>', actorId: ann.user.id }
    const { run, jobs } = await factory.run(repo.id, { ...made, jobs: { build: { status: 'failure' } } })
    const lines = Array.from({ length: 30 }, (_, n) => `line ${n} <i> \u001b[31m${'x'.repeat(10_000)}\u001b[0m\n`)
    await factory.task(repo.id, jobs[0]!, { log: lines, steps: ['compile'] })
    const other = await factory.run(repo.id)
    await expectPage('/ann/desk/actions', ['Push &lt;b&gt;', 'failure', 'ci.yml'])
    const path = `/ann/desk/actions/runs/${run.id}`
    await expectPage(path, ['Push &lt;b&gt;', '>build</a>', 'failure', '>ann</a>'])
    const anonymous = await expectPage(`${path}/jobs/${jobs[0]!}`, ['build', 'compile', 'Sign in to read the log'])
    expect(anonymous).not.toContain('line 0')
    const token = await bob.token('all')
    const first = await expectPage(`${path}/jobs/${jobs[0]!}`, ['line 0 &lt;i&gt; xxx', 'Page 1 of 2'], token)
    expect([first.includes('line 29'), first.includes('\u001b')]).toEqual([false, false])
    await expectPage(`${path}/jobs/${jobs[0]!}?page=2`, ['line 29', 'Page 2 of 2'], token)
    await expectPage(`/ann/desk/actions/runs/${other.run.id}/jobs/${other.jobs[0]!}`, ['There is no log.'], token)
    expect((await open(`${path}/jobs/${other.jobs[0]!}`)).status).toBe(404)
    expect((await open('/ann/desk/actions/runs/9999')).status).toBe(404)
  })

  it('show a package with its files and the command that installs it', async () => {
    const { ann, server } = given
    const made = { ownerId: ann.user.id, creatorId: ann.user.id }
    await addPackageVersion(server.app, { ...made, name: '@ann/sail', version: '1.0', files: ['sail.tgz'] })
    await addPackageVersion(server.app, { ...made, name: 'a$(b)', version: '1.0' })
    const [first, second] = (await ann.client.get('/packages/ann')).json.map(
      (one: { html_url: string }) => one.html_url,
    )
    const command = `npm install @ann/sail@1.0 --registry ${server.url}/api/packages/ann/npm/`
    await expectPage(second, ['@ann/sail 1.0', command, 'sail.tgz', '>ann</a>'])
    expect(await expectPage(first, ['a$(b) 1.0'])).not.toContain('Install')
  })

  it('show notifications only to their user', async () => {
    const { ann, bob, server } = given
    const issue = await createIssue(ann, { title: 'Look <b>' })
    const said = await comment(bob, issue.number, { body: 'hey' })
    await server.drain()
    const token = await ann.token('all')
    await expectPage('/notifications', ['Look &lt;b&gt;', `/issues/${issue.number}#issuecomment-${said.id}"`], token)
    expect((await open('/notifications', await bob.token('all'))).text).not.toContain('Look')
    expect((await open('/notifications')).status).toBe(404)
  })

  it('need the scopes that the API needs', async () => {
    const { ann, server } = given
    await createIssue(ann, { title: 'Secret' }, 'ann/vault')
    const org = await server.world.org('crew', { owner: ann, visibility: 'private' })
    const made = { ownerId: org.org.id, creatorId: ann.user.id, name: 'sail', version: '1' }
    await addPackageVersion(server.app, made)
    for (const [path, needed, other] of [
      ['/ann/vault/issues', 'read:issue', 'read:repository'],
      ['/ann/vault/issues/1', 'read:issue', 'read:repository'],
      ['/ann/vault/labels', 'read:issue', 'read:repository'],
      ['/ann/vault/actions', 'read:repository', 'read:issue'],
      ['/crew/-/packages/npm/sail/1', 'read:package', 'read:repository'],
      ['/notifications', 'read:notification', 'read:repository'],
    ] as const) {
      expect([path, (await open(path, await ann.token(needed))).status]).toEqual([path, 200])
      expect([path, (await open(path, await ann.token(other))).status]).toEqual([path, 404])
    }
    const [one, both] = [await ann.token('read:repository'), await ann.token('read:repository', 'read:issue')]
    expect([(await open('/ann/vault/pulls', one)).status, (await open('/ann/vault/pulls', both)).status]).toEqual([
      404, 200,
    ])
  })
})
