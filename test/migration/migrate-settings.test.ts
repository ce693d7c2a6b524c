import { randomBytes } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startServer } from '../harness/server.ts'
import { importWorld } from './import-world.ts'

describe('settings of imports', () => {
  const given = importWorld()

  it('reach only allowed hosts', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '' } })
    try {
      const eve = await strict.world.user('eve')
      for (const host of [
        '127.0.0.1',
        'localhost',
        '[::1]',
        '2130706433',
        '0x7f.1',
        '169.254.169.254',
        '10.0.0.1',
        '[::ffff:127.0.0.1]',
      ]) {
        const answer = await eve.client.post('/repos/migrate', {
          clone_addr: `http://${host}:${new URL(given.upstream.url).port}/src.git`,
          repo_name: 'inner',
        })
        expect(answer).toMatchObject({
          status: 422,
          json: {
            message: expect.stringMatching(
              /^You can not import from disallowed hosts: connections to \S+ are not allowed by migrations\.allowed_hosts\.$/,
            ),
          },
        })
      }
      expect(
        await eve.client.post('/repos/migrate', { clone_addr: 'git://127.0.0.1/src.git', repo_name: 'inner' }),
      ).toMatchObject({
        json: {
          message: expect.stringMatching(
            /^You can not import from disallowed hosts: connections to \S+ are not allowed by migrations\.allowed_hosts\.$/,
          ),
        },
      })
    } finally {
      await strict.close()
    }
  })

  it('do not follow a redirect to a host or protocol that is not allowed', async () => {
    const strict = await startServer({ settings: { 'migrations.allowed_hosts': '127.0.0.1' } })
    try {
      const eve = await strict.world.user('eve')
      for (const to of ['http://127.0.0.2:1', 'http://169.254.169.254', 'file:///etc', 'ftp://127.0.0.1']) {
        given.upstream.redirects.set('/trap.git', `${to}/src.git`)
        expect(
          (
            await eve.client.post('/repos/migrate', {
              clone_addr: `${given.upstream.url}/trap.git`,
              repo_name: 'inner',
            })
          ).status,
        ).toBe(422)
      }
    } finally {
      await strict.close()
    }
  })

  it('are refused above the maximum size', async () => {
    await given.upstream.create('large')
    writeFileSync(join(given.upstream.root, '..', 'work', 'large', 'large.bin'), randomBytes(3 * 1024 * 1024))
    await given.upstream.commit('large', 'second.txt')
    const strict = await startServer({ settings: { 'migrations.max_size': '1' } })
    try {
      const eve = await strict.world.user('eve')
      const answer = await eve.client.post('/repos/migrate', {
        clone_addr: `${given.upstream.url}/large.git`,
        repo_name: 'large',
      })
      expect(answer).toMatchObject({
        status: 422,
        json: { message: 'Migration failed: the repository is larger than the 1 MiB that this server takes.' },
      })
      expect((await eve.client.post('/repos/migrate', { clone_addr: given.address, repo_name: 'small' })).status).toBe(
        201,
      )
      expect(readdirSync(join(strict.dataDir, 'git', 'staging'))).toEqual([])
    } finally {
      await strict.close()
    }
  })

  it('can be disabled, like mirrors, and count for the limit of repositories', async () => {
    const strict = await startServer({
      settings: { 'repository.max_creation_limit': '1', 'mirror.disable_new_pull': 'true' },
    })
    try {
      const eve = await strict.world.user('eve')
      const body = { clone_addr: given.address, repo_name: 'one' }
      expect(await eve.client.post('/repos/migrate', { ...body, mirror: true })).toMatchObject({
        status: 403,
        json: { message: 'the site administrator has disabled the creation of new pull mirrors' },
      })
      expect((await eve.client.post('/repos/migrate', body)).status).toBe(201)
      expect(await eve.client.post('/repos/migrate', { ...body, repo_name: 'two' })).toMatchObject({
        status: 422,
        json: { message: 'You have already reached your limit of 1 repositories.' },
      })
    } finally {
      await strict.close()
    }
    const off = await startServer({ settings: { 'repository.disable_migrations': 'true' } })
    try {
      const eve = await off.world.user('eve')
      expect(await eve.client.post('/repos/migrate', { clone_addr: given.address, repo_name: 'one' })).toMatchObject({
        status: 403,
        json: { message: 'the site administrator has disabled migrations' },
      })
    } finally {
      await off.close()
    }
  })
})
