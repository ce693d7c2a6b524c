import { expect, it } from 'vitest'
import { createBrowser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { runCommand } from '../../harness/process.ts'
import { startServer } from '../../harness/server.ts'
import { PASSWORD } from '../../harness/world.ts'

describeOnBoth('passkeys at an address that browsers have no passkeys for', (kind) => {
  it('are not offered, and the pages have no script', async () => {
    const server = await startServer({ on: kind })
    try {
      await server.world.user('alice')
      const alice = createBrowser(server.url)
      await alice.open('/user/login')
      expect(alice.page.text).not.toContain('<script>')
      await alice.send({ user_name: 'alice', password: PASSWORD })
      await alice.open('/user/passkeys')
      expect(alice.page.text).toContain('it needs a host name, and HTTPS')
    } finally {
      await server.close()
    }
  })
})

it('a user who lost all passkeys gets in again by the command line', async () => {
  const server = await startServer()
  try {
    const { user, client } = await server.world.user('pete')
    await server.app.database.transaction((tx) =>
      tx
        .insertInto('passkey')
        .values({
          user_id: user.id,
          name: 'Lost',
          credential_id: 'AAAA',
          public_key: 'AAAA',
          transports: '',
          user_handle: 'AAAA',
          created_at: 1,
        })
        .execute(),
    )
    const twoFactor = (...args: string[]) =>
      runCommand(['admin', 'user', 'two-factor', '--username', 'pete', '--data-dir', server.dataDir, ...args])
    expect((await client.get('/user')).status).toBe(401)
    expect(await twoFactor()).toMatchObject({ code: 0, stdout: 'on\n' })
    expect(await twoFactor('--disable')).toMatchObject({ code: 0, stdout: 'off\n' })
    expect((await client.get('/user')).status).toBe(200)
    expect(await twoFactor('--disable')).toMatchObject({ code: 1 })
  } finally {
    await server.close()
  }
})
