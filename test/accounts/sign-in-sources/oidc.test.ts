import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { systemActor } from '../../../src/core/access/viewer.ts'
import { createBrowser, type Browser } from '../../harness/browser.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { rows } from '../../harness/expect.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person as Account } from '../../harness/world.ts'
import { callbackOf, CLIENT, type OidcServer, SECRET, startOidcProvider, visitProvider } from './oidc-fixture.ts'

const HOME = '/user/applications'
const NAME = 'Acme SSO'
const START = `/user/oauth2/${encodeURIComponent(NAME)}`
const SESSION = 'ingot_session'

describeOnBoth('signing in with OpenID Connect', (kind) => {
  let server: TestServer
  let provider: OidcServer
  let root: Account
  let sourceId: number

  beforeAll(async () => {
    server = await startServer({ on: kind })
    root = await server.world.admin()
    provider = await startOidcProvider([callbackOf(server, NAME)])
    const created = await root.client.post('/admin/auth-sources', {
      name: NAME,
      kind: 'oidc',
      oidc: { issuer: provider.url, client_id: CLIENT, client_secret: SECRET },
    })
    expect(created.status).toBe(201)
    sourceId = created.json.id
  })
  beforeEach(() => settings({ registration: 'off', allowed_groups: [], groups_claim: '' }))
  afterAll(async () => {
    await provider.close()
    await server.close()
  })

  async function settings(oidc: object): Promise<void> {
    const { status, json } = await root.client.patch(`/admin/auth-sources/${sourceId}`, { oidc })
    expect([status, json.message]).toEqual([200, undefined])
  }
  const browser = (): Browser => createBrowser(server.url)
  const isSignedIn = (page: Browser): boolean => page.cookies.has(SESSION)

  /** A browser that comes back from the provider as this person. */
  async function arrive(person: OidcServer['person'], page = browser(), query = ''): Promise<Browser> {
    provider.person = person
    await page.open(await visitProvider(page, provider, START + query))
    return page
  }
  async function byPassword(name: string, page = browser()): Promise<Browser> {
    await page.open('/user/login')
    await page.send({ user_name: name, password: PASSWORD })
    return page
  }

  it('keeps the secret of the client, and offers the provider on the sign-in page', async () => {
    const { json } = await root.client.get(`/admin/auth-sources/${sourceId}`)
    expect(json.oidc).toMatchObject({
      issuer: provider.url,
      has_client_secret: true,
      scopes: ['openid', 'profile', 'email'],
    })
    expect(JSON.stringify(json)).not.toContain(SECRET)
    expect(JSON.stringify(await rows(server, 'sign_in_source'))).not.toContain(SECRET)
    const page = await browser().open(`/user/login?redirect_to=${encodeURIComponent(`${HOME}?x=1`)}`)
    expect(page.text).toContain(
      `<a href="/user/oauth2/Acme%20SSO?redirect_to=${encodeURIComponent(`${HOME}?x=1`)}">Sign in with Acme SSO</a>`,
    )
  })

  it('asks the provider with PKCE, a nonce and a state, and ends where the user wanted to go', async () => {
    await settings({ registration: 'on' })
    const page = browser()
    const { url } = await page.open(`${START}?redirect_to=${encodeURIComponent(`${HOME}?x=1`)}`)
    const asked = new URL(url).searchParams
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: CLIENT,
      redirect_uri: callbackOf(server, NAME),
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    })
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked.get(name)!.length).toBeGreaterThan(40)
    provider.person = {
      sub: 's-ann',
      preferred_username: 'ann@acme',
      name: 'Ann A.',
      email: 'ann@acme.test',
      email_verified: true,
    }
    await page.open((await createBrowser(provider.url).open(url)).url)
    expect(page.page.url).toBe(`${server.url}${HOME}?x=1`)
    expect(page.page.text).toContain('Signed in as <strong>ann</strong>')
    const { json } = await root.client.get('/admin/users?q=ann')
    expect(json[0]).toMatchObject({
      full_name: 'Ann A.',
      email: 'ann@acme.test',
      source_id: sourceId,
      login_name: 's-ann',
    })
    const again = await arrive({ sub: 's-ann', preferred_username: 'renamed' })
    expect(again.page.text).toContain('Signed in as <strong>ann</strong>')
    const basic = `Basic ${Buffer.from('ann:').toString('base64')}`
    expect((await server.anonymous.get('/user', { authorization: basic })).status).toBe(401)
    await server.drain()
    const audit = (await root.client.get('/admin/audit?action=sign-in.succeeded')).json
    expect(
      audit.some((entry: { credential: object }) => JSON.stringify(entry.credential).includes('sign-in-source')),
    ).toBe(true)
  })

  it('leads back to this server only', async () => {
    await settings({ registration: 'on' })
    for (const to of ['https://evil.test/', '//evil.test', '/\\evil.test', '/.//evil.test']) {
      const page = await arrive(
        { sub: 's-bea', preferred_username: 'bea' },
        browser(),
        `?redirect_to=${encodeURIComponent(to)}`,
      )
      expect([to, page.page.url]).toEqual([to, server.url + HOME])
    }
  })

  it('makes accounts only as the rules say, with addresses that the provider verified', async () => {
    const person = { sub: 's-cleo', preferred_username: 'cleo', email: 'cleo@acme.test', email_verified: true }
    expect((await arrive(person)).page.status).toBe(403)
    await settings({ registration: 'domains', allowed_domains: ['other.test'] })
    expect((await arrive(person)).page.status).toBe(403)
    await settings({ allowed_domains: ['ACME.test'] })
    expect((await arrive({ ...person, email_verified: false })).page.status).toBe(403)
    expect((await arrive({ ...person, email: 'cleo@acme.test.evil.test' })).page.status).toBe(403)
    expect(isSignedIn(await arrive(person))).toBe(true)
    await settings({ registration: 'on' })
    await arrive({ sub: 's-dan', preferred_username: 'dan', email: 'dan@acme.test' })
    expect((await root.client.get('/admin/users?q=dan')).json[0].email).toMatch(/@localhost$/)
  })

  it('signs nobody in to an existing account that has the same name or address', async () => {
    await settings({ registration: 'on' })
    await server.world.user('erin')
    for (const person of [
      { sub: 's-thief', preferred_username: 'erin' },
      { sub: 's-thief', preferred_username: 'thief', email: 'erin@example.test', email_verified: true },
    ]) {
      const page = await arrive(person)
      expect([page.page.status, isSignedIn(page)]).toEqual([403, false])
    }
    expect(await rows(server, 'external_identity', { subject: 's-thief' })).toEqual([])
  })

  it('links an account after its user signed in and agreed, and unlinks it', async () => {
    await server.world.user('finn')
    const finn = await arrive({ sub: 's-finn', preferred_username: 'finn.f' })
    expect([finn.page.status, isSignedIn(finn)]).toEqual([403, false])
    await finn.open(`/user/login?redirect_to=${encodeURIComponent('/user/providers')}`)
    await finn.send({ user_name: 'finn', password: PASSWORD })
    expect(finn.page.text).toContain(
      'Link <strong>finn.f</strong> at Acme SSO with your account <strong>finn</strong>?',
    )
    await finn.send({ accepted: 'false' })
    expect(await rows(server, 'external_identity', { subject: 's-finn' })).toEqual([])

    await arrive({ sub: 's-finn', preferred_username: 'finn.f' }, finn, '?link=true')
    expect(finn.page.url).toBe(`${server.url}/user/providers`)
    await finn.send({ accepted: 'true' })
    expect(finn.page.text).toContain('linked as <strong>finn.f</strong>')
    const later = await arrive({ sub: 's-finn' })
    expect(later.page.text).toContain('Signed in as <strong>finn</strong>')

    await later.open('/user/providers')
    await later.send({}, { form: later.page.forms.findIndex(({ action }) => action.endsWith('/unlink')) })
    expect((await arrive({ sub: 's-finn' })).page.status).toBe(403)
    expect(
      (await root.client.get('/admin/audit?target=finn')).json.map(({ action }: { action: string }) => action),
    ).toEqual(expect.arrayContaining([expect.stringContaining('linked'), expect.stringContaining('unlinked')]))
  })

  it('refuses another subject for a linked account, and a subject that has an account', async () => {
    await server.world.user('gwen')
    const gwen = await byPassword('gwen')
    await arrive({ sub: 's-gwen' }, gwen, '?link=true')
    await gwen.send({ accepted: 'true' })
    await arrive({ sub: 's-gwen-2' }, gwen, '?link=true')
    expect((await gwen.send({ accepted: 'true' })).status).toBe(409)
    await server.world.user('hans')
    const hans = await arrive({ sub: 's-gwen' }, await byPassword('hans'), '?link=true')
    expect(hans.page.text).not.toContain('Link <strong>')
    expect(await rows(server, 'external_identity', { subject: 's-gwen' })).toHaveLength(1)
  })

  it('links only for the browser that was at the provider, and soon after signing in', async () => {
    const { user } = await server.world.user('ines')
    const page = await arrive({ sub: 's-ines' })
    const offer = page.cookies.get('ingot_link')!
    const ines = await byPassword('ines')
    ines.cookies.set('ingot_link', `${offer.slice(0, -4)}AAAA`)
    await ines.open('/user/providers')
    expect(ines.page.text).not.toContain('Link <strong>')
    ines.cookies.set('ingot_link', offer)
    await server.app.database.transaction((tx) =>
      tx.updateTable('web_session').set({ created_at: 0 }).where('user_id', '=', user.id).execute(),
    )
    await ines.open('/user/providers')
    expect([ines.page.text.includes('Link <strong>'), ines.page.text.includes('sign in again')]).toEqual([false, true])
  })

  it('finds the account that an administrator bound to a subject', async () => {
    const { status } = await root.client.post('/admin/users', {
      username: 'jana',
      email: 'jana@example.test',
      source_id: sourceId,
      login_name: 's-jana',
    })
    expect(status).toBe(201)
    expect((await arrive({ sub: 's-jana' })).page.text).toContain('Signed in as <strong>jana</strong>')
    expect((await arrive({ sub: 'other', preferred_username: 's-jana' })).page.status).toBe(403)
    const { json: max } = await root.client.post('/admin/users', {
      username: 'max',
      email: 'max@example.test',
      source_id: sourceId,
      login_name: 's-max',
    })
    expect((await arrive({ sub: 'S-Max' })).page.status, 'subjects differ by case').toBe(403)
    expect(isSignedIn(await arrive({ sub: 's-max' }))).toBe(true)
    const edit = (login: object) => root.client.patch('/admin/users/max', { source_id: sourceId, ...login })
    await edit({ login_name: 's-max-2' })
    expect((await arrive({ sub: 's-max' })).page.status, 'the account is that of another subject').toBe(403)
    expect((await arrive({ sub: 's-max-2' })).page.text).toContain('Signed in as <strong>max</strong>')
    await edit({ source_id: 0, login_name: '', password: PASSWORD, must_change_password: false })
    expect((await arrive({ sub: 's-max-2' })).page.status, 'the account is one of this server').toBe(403)
    const linked = await byPassword('max')
    await arrive({ sub: 's-max-2' }, linked, '?link=true')
    await linked.send({ accepted: 'true' })
    await edit({ source_id: 0, login_name: 'max', full_name: 'Max' })
    expect(isSignedIn(await arrive({ sub: 's-max-2' })), `the user linked ${max.login}`).toBe(true)
    const jana = await arrive({ sub: 's-jana' })
    await jana.open('/user/providers')
    expect(jana.page.text).not.toContain('/unlink')
    await root.client.patch('/admin/users/jana', { source_id: sourceId, login_name: 's-jana', prohibit_login: true })
    expect((await arrive({ sub: 's-jana' })).page.status).toBe(403)
  })

  it('reads administrators, restricted users and members of teams from groups', async () => {
    const { json: org } = await root.client.post('/orgs', { username: `acme-${kind}` })
    const { json: team } = await root.client.post(`/orgs/${org.username}/teams`, { name: 'devs', units: ['repo.code'] })
    await settings({
      registration: 'on',
      groups_claim: 'groups',
      allowed_groups: ['staff'],
      admin_groups: ['admins'],
      restricted_groups: ['guests'],
      group_teams: [
        { group: 'developers', organization: org.username, team: 'devs' },
        { group: 'coders', organization: org.username.toUpperCase(), team: 'Devs' },
      ],
      remove_from_teams: true,
    })
    const person = { sub: 's-kim', preferred_username: 'kim', name: 'K'.repeat(101) }
    const refusals = async (): Promise<number> => {
      await server.app.signInRecords.flush()
      await server.drain()
      const { json } = await root.client.get('/admin/audit?action=sign-in.failed&limit=50')
      return json
        .filter(({ credential }: { credential: { name: string } }) => credential.name === NAME)
        .reduce((sum: number, { details }: { details: { attempts: number } }) => sum + details.attempts, 0)
    }
    const before = await refusals()
    expect((await arrive({ ...person, groups: ['admins'] })).page.status).toBe(403)
    expect(await refusals(), 'the audit log has it').toBe(before + 1)
    const facts = async (groups: string[]) => {
      const page = await arrive({ ...person, groups })
      expect(isSignedIn(page)).toBe(true)
      const [{ is_admin, restricted }] = (await root.client.get('/admin/users?q=kim')).json
      const members = (await root.client.get(`/teams/${team.id}/members`)).json
      return { is_admin, restricted, isMember: members.some(({ login }: { login: string }) => login === 'kim') }
    }
    expect(await facts(['staff', 'admins', 'developers'])).toEqual({
      is_admin: true,
      restricted: false,
      isMember: true,
    })
    expect(await facts(['staff', 'guests'])).toEqual({ is_admin: false, restricted: true, isMember: false })
    expect((await root.client.get('/users/kim')).json.full_name).toBe('K'.repeat(100))
    await settings({ admin_groups: [], restricted_groups: [], group_teams: [], allowed_groups: [] })
  })

  it('asks for the second step of this server unless the settings skip it', async () => {
    await settings({ registration: 'on' })
    await arrive({ sub: 's-lea', preferred_username: 'lea' })
    const lea = (await server.app.users.findByName('lea'))!
    await server.app.twoFactor.begin(lea)
    await server.app.database.transaction((tx) =>
      tx.updateTable('two_factor').set({ is_confirmed: 1 }).where('user_id', '=', lea.id).execute(),
    )
    const [code] = await server.app.twoFactor.renewRecoveryCodes(systemActor, lea.id)
    const asked = await arrive({ sub: 's-lea' })
    expect([isSignedIn(asked), asked.page.text.includes('one-time-code')]).toEqual([false, true])
    await asked.send({ code: code! })
    expect(isSignedIn(asked)).toBe(true)
    await server.drain()
    const [entry] = (await root.client.get('/admin/audit?action=sign-in.succeeded&target=lea')).json
    expect([entry.credential, entry.details], 'the audit log says how').toEqual([
      { kind: 'sign-in-source', id: sourceId, name: NAME },
      { second_factor: 'recovery-code' },
    ])
    await settings({ skip_second_factor: true })
    expect(isSignedIn(await arrive({ sub: 's-lea' }))).toBe(true)
    await settings({ skip_second_factor: false })
    await server.app.twoFactor.disable(systemActor, lea.id)
  })

  it('refuses answers to other browsers, replayed answers and refusals of the provider', async () => {
    await settings({ registration: 'on' })
    provider.person = { sub: 's-mia', preferred_username: 'mia' }
    const mia = browser()
    const back = await visitProvider(mia, provider, START)
    const victim = browser()
    expect([(await victim.open(back)).status, isSignedIn(victim)]).toEqual([400, false])
    await visitProvider(victim, provider, START)
    expect([(await victim.open(back)).status, isSignedIn(victim)]).toEqual([401, false])
    const pending = mia.cookies.get('ingot_pending')!
    expect((await mia.open(back)).url).toBe(server.url + HOME)
    expect((await browser().open(back)).status).toBe(400)
    const replaying = browser()
    replaying.cookies.set('ingot_pending', pending)
    expect([(await replaying.open(back)).status, isSignedIn(replaying)]).toEqual([401, false])
    const denied = browser()
    const { url } = await denied.open(START)
    const state = new URL(url).searchParams.get('state')!
    const error = new URLSearchParams({
      error: 'access_denied',
      error_description: '<b>evil</b>',
      state,
      iss: provider.url,
    })
    const page = await denied.open(`${callbackOf(server, NAME)}?${error}`)
    expect([page.status, page.text.includes('evil')]).toEqual([401, false])
  })

  it('offers to sign out at the provider, too', async () => {
    await settings({ registration: 'on' })
    const noa = await arrive({ sub: 's-noa', preferred_username: 'noa' })
    await noa.send({}, { form: noa.page.forms.findIndex(({ action }) => action.endsWith('/logout')) })
    const [, url] = /<a href="([^"]*)">Sign out of Acme SSO/.exec(noa.page.text)!
    const end = new URL(url!.replaceAll('&amp;', '&'))
    expect([end.origin, Object.fromEntries(end.searchParams)]).toEqual([
      provider.url,
      {
        client_id: CLIENT,
        post_logout_redirect_uri: `${server.url}/user/login`,
        id_token_hint: expect.stringContaining('.'),
      },
    ])
    expect(decodeJwt(end.searchParams.get('id_token_hint')!)).toMatchObject({ iss: provider.url, sub: 's-noa' })
    expect((await createBrowser(provider.url).open(end.href)).status).toBe(200)
    expect([isSignedIn(noa), noa.cookies.has('ingot_provider')]).toEqual([false, false])
  })

  it('ends when the source is not active', async () => {
    await root.client.patch(`/admin/auth-sources/${sourceId}`, { is_active: false })
    expect((await browser().open(START)).status).toBe(404)
    expect((await browser().open('/user/login')).text).not.toContain(NAME)
    await root.client.patch(`/admin/auth-sources/${sourceId}`, { is_active: true })
    expect((await browser().open('/user/oauth2/none')).status).toBe(404)
  })

  it('refuses settings that cannot be right, and names the field', async () => {
    const wrong = async (oidc: object) =>
      (await root.client.patch(`/admin/auth-sources/${sourceId}`, { oidc })).json.message as string
    expect(await wrong({ issuer: 'ftp://x' })).toContain('Issuer')
    expect(await wrong({ client_id: '' })).toContain('ClientId')
    expect(await wrong({ scopes: ['email'] })).toContain('Scopes')
    expect(await wrong({ registration: 'domains', allowed_domains: [] })).toContain('AllowedDomains')
    expect(await wrong({ groups_claim: '', admin_groups: ['x'] })).toContain('GroupsClaim')
    expect(await wrong({ authorization_url: 'https://x.test/a' })).toContain('TokenUrl')
    expect(await wrong({ subject_claim: 'email' })).toContain('SubjectClaim')
  })
})
