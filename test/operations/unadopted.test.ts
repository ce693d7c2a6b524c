import { existsSync } from 'node:fs'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git, tempDir } from '../core/git/wire/client.ts'
import { startServer, type TestServer } from '../harness/server.ts'
import type { Person } from '../harness/world.ts'

describe('unadopted repositories', () => {
  let server: TestServer
  let [root, ann] = [] as unknown as [Person, Person]
  const work = tempDir()
  const place = (path: string): string => join(server.dataDir, 'git', 'adopt', `${path}.git`)

  const put = async (path: string, format = 'sha1'): Promise<string> => {
    const dir = join(work.path, path.replace('/', '-'))
    await git(work.path, ['init', '-q', '-b', 'trunk', `--object-format=${format}`, dir])
    await git(dir, ['commit', '-q', '--allow-empty', '-m', 'first'])
    await git(dir, ['branch', 'side'])
    await git(dir, ['tag', 'v1'])
    await git(dir, ['update-ref', 'refs/pull/7/head', 'HEAD'])
    await git(work.path, ['clone', '-q', '--bare', '--mirror', dir, place(path)])
    return git(dir, ['rev-parse', 'HEAD'])
  }

  beforeAll(async () => {
    server = await startServer()
    ;[root, ann] = [await server.world.admin(), await server.world.user('ann')]
    await server.world.repo({ owner: ann, name: 'known' })
    for (const path of ['ann/known', 'ghost/x', 'ann/lib.a', 'ann/big']) await put(path)
  })
  afterAll(async () => {
    await server.close()
    work.remove()
  })

  it('are for site administrators', async () => {
    expect((await server.anonymous.get('/admin/unadopted')).status).toBe(401)
    expect((await ann.client.get('/admin/unadopted')).status).toBe(403)
    expect((await ann.client.post('/admin/unadopted/ann/big')).status).toBe(403)
    expect((await ann.client.delete('/admin/unadopted/ann/big')).status).toBe(403)
  })

  it('are listed by name, filtered by a glob', async () => {
    const list = async (query = ''): Promise<string[]> => (await root.client.get(`/admin/unadopted${query}`)).json
    expect(await list()).toEqual(['ann/big', 'ann/lib.a', 'ghost/x'])
    expect(await list('?pattern=LIB*')).toEqual(['ann/lib.a'])
    expect(await list('?query=g*/*')).toEqual(['ghost/x'])
    const page = await root.client.get('/admin/unadopted?limit=1&page=2')
    expect([page.json, page.headers.get('x-total-count')]).toEqual([['ann/lib.a'], '3'])
  })

  it('become private repositories of their owners', async () => {
    await writeFile(join(place('ann/big'), 'config'), '[core]\n\tbare = true\n\tsshCommand = touch /tmp/never\n')
    expect((await root.client.post('/admin/unadopted/ANN/Big')).status).toBe(204)
    const repo = (await ann.client.get('/repos/ann/big')).json
    expect(repo).toMatchObject({
      name: 'big',
      private: true,
      empty: false,
      default_branch: 'trunk',
      branch_count: 2,
      watchers_count: 0,
    })
    expect((await server.anonymous.get('/repos/ann/big')).status).toBe(404)
    expect((await ann.client.get('/repos/ann/big/commits')).json).toHaveLength(1)
    expect((await ann.client.get('/repos/ann/big/tags')).json).toMatchObject([{ name: 'v1' }])
    const { storage } = (await server.app.repos.getInView({ kind: 'user', account: ann.user } as never, 'ann', 'big'))
      .repo
    expect(await git(server.app.git.path(storage), ['for-each-ref', '--format=%(refname)'])).toBe(
      'refs/heads/side\nrefs/heads/trunk\nrefs/tags/v1',
    )
    expect(await git(server.app.git.path(storage), ['config', '--list', '--local'])).not.toContain('ssh')
    expect(existsSync(place('ann/big'))).toBe(false)
    expect((await root.client.post('/admin/unadopted/ann/big')).status).toBe(404)
  })

  it('retain SHA-256', async () => {
    const head = await put('ann/wide', 'sha256')
    expect((await root.client.post('/admin/unadopted/ann/wide')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/wide')).json.object_format_name).toBe('sha256')
    expect((await ann.client.get('/repos/ann/wide/branches/trunk')).json.commit.id).toBe(head)
  })

  it('may be without refs, also with an empty file of packed ones', async () => {
    await git(work.path, ['init', '-q', '--bare', place('ann/void')])
    await writeFile(join(place('ann/void'), 'packed-refs'), '')
    expect((await root.client.post('/admin/unadopted/ann/void')).status).toBe(204)
    expect((await ann.client.get('/repos/ann/void/branches')).json).toEqual([])
  })

  it('are refused without an owner, when they have a row, when absent, and when they link elsewhere', async () => {
    for (const path of ['ghost/x', 'ann/known', 'ann/absent', 'ann/..%2f..%2frepos']) {
      expect((await root.client.post(`/admin/unadopted/${path}`)).status, path).toBe(404)
      expect((await root.client.delete(`/admin/unadopted/${path}`)).status, path).toBe(404)
    }
    await put('ann/poor')
    await mkdir(join(place('ann/poor'), 'objects/info'), { recursive: true })
    await writeFile(join(place('ann/poor'), 'objects/info/alternates'), '/elsewhere/objects\n')
    const answer = await root.client.post('/admin/unadopted/ann/poor')
    expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('borrows objects')])
    await put('ann/sly')
    await symlink('/etc/passwd', join(place('ann/sly'), 'objects/xx'))
    expect((await root.client.post('/admin/unadopted/ann/sly')).status).toBe(422)
    await symlink(place('ann/sly'), place('ann/alias'))
    expect((await root.client.get('/admin/unadopted?pattern=alias')).json).toEqual([])
    expect(existsSync(place('ann/sly'))).toBe(true)
  })

  it('are removed on demand', async () => {
    expect((await root.client.delete('/admin/unadopted/ann/lib.a')).status).toBe(204)
    expect(existsSync(place('ann/lib.a'))).toBe(false)
    expect((await root.client.delete('/admin/unadopted/ann/lib.a')).status).toBe(404)
    expect(existsSync(place('ann/known'))).toBe(true)
  })
})
