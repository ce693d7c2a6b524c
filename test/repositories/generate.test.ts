import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { updateRepo } from '../../src/domains/repositories/repos/repo.store.ts'
import { codeRepo, oracle } from '../code/code-world.ts'
import { rows } from '../harness/expect.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

/** A fast-import stream of one commit; modes by path for entries that are not plain files. */
function stream(
  files: Readonly<Record<string, string>>,
  modes: Readonly<Record<string, string>> = {},
  from = '',
): string {
  const changes = Object.entries(files).map(
    ([path, text]) =>
      `M ${modes[path] ?? '100644'} inline ${JSON.stringify(path)}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
  )
  return `commit refs/heads/main\ncommitter T <t@example.test> 1700000000 +0000\ndata 2\nc\n${from}${changes.join('')}\n`
}

const stored = async (server: TestServer): Promise<number> => {
  let count = 0
  for await (const folder of server.app.git.listStored()) count += folder.length
  return count
}

describe.each(['sha1', 'sha256'] as const)('repositories generated from a %s template', (format) => {
  let server: TestServer
  let ann: Person
  let bob: Person
  const files = {
    '.gitea/template': '# list\n*.md\nsrc/**\nlink\nbin.dat\n${REPO_DESCRIPTION}.txt\n',
    'README.md': '${REPO_NAME_UPPER} by $REPO_OWNER from ${TEMPLATE_OWNER}/${TEMPLATE_NAME} $$5\n',
    'raw.txt': '$REPO_NAME\n',
    'src/${REPO_DESCRIPTION}/$REPO_NAME.ts': 'x\n',
    'src/run.sh': 'echo $REPO_NAME\n',
    link: '$REPO_NAME',
    'bin.dat': 'a\0$REPO_NAME',
  }

  beforeAll(async () => {
    server = await startServer()
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    const { repo } = await codeRepo(server, ann, {
      name: 'tpl',
      format,
      history: stream(files, { link: '120000', 'src/run.sh': '100755' }),
    })
    await server.app.database.transaction((tx) => updateRepo(tx, repo.id, { is_template: 1 }))
    await ann.client.put('/repos/ann/tpl/topics', { topics: ['one', 'two'] })
    await server.world.repo({ owner: ann, name: 'plain' })
    await server.world.repo({ owner: ann, name: 'hidden', isPrivate: true, isTemplate: true })
  })
  afterAll(() => server.close())

  const generate = (person: Person, body: object, path = 'ann/tpl') =>
    person.client.post(`/repos/${path}/generate`, body)

  it('require read access to it and permission to create for the owner', async () => {
    const all = { git_content: true }
    expect((await server.anonymous.post('/repos/ann/tpl/generate', { owner: 'ann', name: 'x', ...all })).status).toBe(
      401,
    )
    expect((await generate(bob, { owner: 'bob', name: 'x', ...all }, 'ann/hidden')).status).toBe(404)
    expect((await generate(bob, { owner: 'bob', name: 'x', ...all }, 'ann/plain')).json.message).toBe(
      'this is not a template repo',
    )
    expect((await generate(bob, { owner: 'bob', name: 'x' })).json.message).toBe(
      'must select at least one template item',
    )
    expect((await generate(bob, { owner: 'nobody', name: 'x', ...all })).status).toBe(404)
    expect((await generate(bob, { name: 'x', ...all })).status).toBe(404)
    expect((await generate(bob, { owner: 'ann', name: 'x', ...all })).json.message).toBe(
      'Only admin can generate repository for other user.',
    )
    expect((await generate(bob, { owner: 'bob', name: 'bad name', ...all })).json.message).toBe('[Name]: AlphaDashDot')
    expect((await generate(bob, { owner: 'bob', name: '-', ...all })).status).toBe(422)
    await server.world.org('shadow', { owner: ann, visibility: 'private' })
    await server.world.user('hermit', { visibility: 'private' })
    for (const owner of ['shadow', 'hermit'])
      expect((await generate(bob, { owner, name: 'x', ...all })).status, owner).toBe(404)
    await server.world.org('firm', { owner: ann })
    expect((await generate(bob, { owner: 'firm', name: 'x', ...all })).json.message).toBe(
      'Given user is not allowed to create repository in organization.',
    )
  })

  it('start with one commit of expanded files, and no path leaves the tree', async () => {
    const made = await generate(bob, {
      owner: 'bob',
      name: 'MyCopy',
      description: '../../.git',
      git_content: true,
      topics: true,
      private: true,
      default_branch: 'trunk',
    })
    expect([made.status, made.json]).toMatchObject([
      201,
      {
        full_name: 'bob/MyCopy',
        private: true,
        template: false,
        fork: false,
        parent: null,
        empty: false,
        default_branch: 'trunk',
        topics: ['one', 'two'],
        object_format_name: format,
        watchers_count: 1,
      },
    ])
    const repo = await server.app.repos.getById(made.json.id)
    const { path } = server.app.git.open(repo)
    const show = (name: string): string => oracle(path, ['show', `trunk:${name}`])
    expect(oracle(path, ['ls-tree', '-r', '--name-only', 'trunk']).trim().split('\n')).toEqual([
      'README.md',
      'bin.dat',
      'link',
      'raw.txt',
      'src/__/__/_git/MyCopy.ts',
      'src/run.sh',
    ])
    expect([show('README.md').trim(), show('raw.txt').trim(), show('link').trim(), show('src/run.sh').trim()]).toEqual([
      'MYCOPY by bob from ann/tpl $5',
      '$REPO_NAME',
      '$REPO_NAME',
      'echo MyCopy',
    ])
    expect(oracle(path, ['ls-tree', 'trunk', 'link', 'src/run.sh'])).toMatch(/^120000 .*\n100755 /)
    expect(oracle(path, ['log', '--format=%an|%s', '--all']).trim()).toBe('bob|Initial commit')
    oracle(path, ['fsck', '--strict'])
    expect((await generate(bob, { owner: 'bob', name: 'mycopy', topics: true })).status).toBe(409)
    expect((await generate(bob, { owner: 'bob', name: 'bare', topics: true })).json).toMatchObject({
      empty: true,
      topics: ['one', 'two'],
    })
  })

  it('copy branch rules on request', async () => {
    expect(
      (await ann.client.post('/repos/ann/tpl/branch_protections', { rule_name: 'main', required_approvals: 2 })).status,
    ).toBe(201)
    expect((await generate(ann, { owner: 'ann', name: 'ruled', protected_branch: true })).status).toBe(201)
    expect((await ann.client.get('/repos/ann/ruled/branch_protections')).json).toMatchObject([
      { rule_name: 'main', required_approvals: 2 },
    ])
    expect((await ann.client.delete('/repos/ann/tpl/branch_protections/main')).status).toBe(204)
  })

  it('copy webhooks with their secrets, only for administrators of the template', async () => {
    const config = { url: 'https://ci.example.test/hook', content_type: 'form', secret: 'whisper' }
    expect(
      (
        await ann.client.post('/repos/ann/tpl/hooks', {
          type: 'gitea',
          active: true,
          branch_filter: 'rel/*',
          events: ['release'],
          authorization_header: 'Bearer b',
          config,
        })
      ).status,
    ).toBe(201)
    const hooksOf = async (person: Person, name: string) => {
      expect((await generate(person, { owner: person.name, name, webhooks: true })).status).toBe(201)
      return (await person.client.get(`/repos/${person.name}/${name}/hooks`)).json
    }
    expect(await hooksOf(ann, 'hooked')).toMatchObject([
      {
        type: 'gitea',
        active: true,
        branch_filter: 'rel/*',
        events: ['release'],
        authorization_header: 'Bearer b',
        config: { url: config.url, content_type: 'form' },
      },
    ])
    expect(await hooksOf(bob, 'unhooked')).toEqual([])
    const hooks = await rows(server, 'webhook', { scope: 'repository' })
    const [first, copy] = hooks.map(({ secret, scope, owner_id }) => ({ secret, scope, owner_id }))
    expect([copy, first!.secret]).toEqual([first, expect.stringMatching(/./)])
  })

  it('leave no rows and no directories after a failure', async () => {
    const before = await stored(server)
    const transaction = server.app.database.transaction
    Object.assign(server.app.database, { transaction: () => Promise.reject(new Error('the disk is full')) })
    try {
      expect((await generate(bob, { owner: 'bob', name: 'lost', git_content: true })).status).toBe(500)
    } finally {
      Object.assign(server.app.database, { transaction })
    }
    expect(await stored(server)).toBe(before)
    expect(await rows(server, 'repo', { lower_name: 'lost' })).toEqual([])
  })

  it('sync forks with their base, unless it is hidden or has diverged', async () => {
    const base = await codeRepo(server, ann, { name: `base`, format, history: stream({ a: '1\n' }) })
    expect((await bob.client.post('/repos/ann/base/forks', {})).status).toBe(202)
    const push = async (path: string, text: string): Promise<void> => {
      oracle(base.git.path, ['fast-import', '--quiet'], stream({ [path]: text }, {}, 'from refs/heads/main^0\n'))
      await server.app.pushes.reconcile(base.repo.id)
    }
    await push('b', '2\n')
    expect((await server.anonymous.get('/repos/bob/base/sync_fork')).json).toMatchObject({
      allowed: true,
      commits_behind: 1,
    })
    const merge = (body: object, person: Person = bob, path = 'bob/base') =>
      person.client.post(`/repos/${path}/merge-upstream`, body)
    expect((await merge({ branch: 'main' })).json).toEqual({ merge_type: 'fast-forward' })
    expect((await merge({ branch: 'main' })).json).toEqual({ merge_type: 'up-to-date' })
    expect((await merge({ branch: 'main' }, ann, 'ann/base')).json.message).toBe('repo is not a fork')
    expect((await merge({})).status).toBe(404)
    expect(
      (await bob.client.post('/repos/bob/base/contents/c', { content: Buffer.from('mine').toString('base64') })).status,
    ).toBe(201)
    await push('d', '3\n')
    const forward = await bob.client.post('/repos/bob/base/sync_fork')
    expect([
      forward.status,
      forward.json.message,
      (await bob.client.get('/repos/bob/base/sync_fork/main')).json,
    ]).toMatchObject([
      400,
      'the branch cannot be moved forward to that of the base',
      { allowed: false, commits_behind: 1 },
    ])
    expect((await merge({ branch: 'main', ff_only: true })).status).toBe(400)
    expect((await merge({ branch: 'main' })).json).toEqual({ merge_type: 'merge' })
    await push('c', 'theirs\n')
    expect((await merge({ branch: 'main' })).json.message).toBe('merge conflict in c')
    await server.world.org('yard', { owner: ann })
    expect((await ann.client.post('/repos/ann/base/forks', { organization: 'yard' })).status).toBe(202)
    await push('e', '4\n')
    const sync = '/repos/yard/base/sync_fork'
    expect([
      (await server.anonymous.post(sync)).status,
      (await bob.client.post(sync)).status,
      (await ann.client.post(`${sync}/missing`)).status,
      (await ann.client.get('/repos/ann/base/sync_fork')).status,
    ]).toEqual([401, 403, 404, 400])
    expect((await ann.client.patch('/repos/yard/base', { archived: true })).json.archived).toBe(true)
    expect([(await ann.client.post(sync)).status, (await ann.client.get(sync)).json.allowed]).toEqual([400, false])
    await ann.client.patch('/repos/yard/base', { archived: false })
    expect([(await ann.client.post(sync)).status, (await ann.client.get(sync)).json]).toMatchObject([
      204,
      { allowed: false, commits_behind: 0 },
    ])
    await ann.client.patch('/repos/ann/base', { private: true })
    expect((await merge({ branch: 'main' })).status).toBe(404)
  })
})
