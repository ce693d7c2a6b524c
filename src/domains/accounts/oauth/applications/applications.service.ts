import type { Core } from '../../../../core/module.ts'
import { randomUUID } from 'node:crypto'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { randomBase32, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { OauthApplicationId, UserId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import {
  deleteApplication,
  findApplicationOf,
  insertApplication,
  listApplications,
  type OauthApplication,
  updateApplication,
} from './oauth-application.store.ts'

interface ApplicationInput {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly isConfidential: boolean
  readonly skipsConsent: boolean
}

interface ApplicationWithSecret {
  readonly application: OauthApplication
  /** Returned once and never stored in plain text. */
  readonly secret: string
}

/** The account that owns the changed application. */
type AppActor = Actor & { readonly account: { readonly id: UserId } }

const SECRET_BYTES = 32

type ApplicationEvent = `oauth.application_${'created' | 'deleted' | 'edited'}`

type ApplicationDeps = Pick<Core, 'database' | 'clock' | 'events'>

export type OauthApplications = ReturnType<typeof createOauthApplications>

/** The OAuth2 applications of a user (behaviour/auth-and-access#oauth2-applications). */
export function createOauthApplications({ database, clock, events }: ApplicationDeps) {
  const newSecret = (): string => `gto_${randomBase32(SECRET_BYTES)}`
  const columns = (input: ApplicationInput, secret: string) => ({
    name: input.name,
    redirect_uris: JSON.stringify(input.redirectUris),
    is_confidential: flag(input.isConfidential),
    skips_consent: flag(input.skipsConsent),
    secret_hash: sha256Hex(secret),
    updated_at: clock.now(),
  })
  const append = (
    tx: Tx,
    kind: ApplicationEvent,
    actor: AppActor,
    { id, name }: Pick<OauthApplication, 'id' | 'name'>,
  ): Promise<void> =>
    events.append(
      tx,
      kind,
      { actor, repoId: 0, at: clock.now() },
      { user_id: actor.account.id, application_id: id, name },
    )
  return {
    list: (userId: UserId, paging: Paging): Promise<Page<OauthApplication>> =>
      listApplications(database.read, userId, paging),

    /** Throws NotFound for applications of other users. */
    async get(userId: UserId, id: OauthApplicationId): Promise<OauthApplication> {
      const application = await findApplicationOf(database.read, userId, id)
      if (application === undefined) throw unknown()
      return application
    },

    async create(actor: AppActor, input: ApplicationInput): Promise<ApplicationWithSecret> {
      const secret = newSecret()
      const application = await database.transaction(async (tx) => {
        const id = await insertApplication(tx, {
          ...columns(input, secret),
          user_id: actor.account.id,
          client_id: randomUUID(),
          created_at: clock.now(),
        })
        await append(tx, 'oauth.application_created', actor, { id, name: input.name })
        return (await findApplicationOf(tx, actor.account.id, id))!
      })
      return { application, secret }
    },

    /** Replaces all members and generates a new secret. Throws NotFound. */
    async replace(actor: AppActor, id: OauthApplicationId, input: ApplicationInput): Promise<ApplicationWithSecret> {
      const secret = newSecret()
      const application = await database.transaction(async (tx) => {
        if ((await findApplicationOf(tx, actor.account.id, id)) === undefined) throw unknown()
        await updateApplication(tx, id, columns(input, secret))
        await append(tx, 'oauth.application_edited', actor, { id, name: input.name })
        const replaced = await findApplicationOf(tx, actor.account.id, id)
        if (replaced === undefined) throw unknown()
        return replaced
      })
      return { application, secret }
    },

    /** Deletes the application with all its grants. Throws NotFound. */
    async delete(actor: AppActor, id: OauthApplicationId): Promise<void> {
      await database.transaction(async (tx) => {
        const application = await findApplicationOf(tx, actor.account.id, id)
        if (application === undefined || !(await deleteApplication(tx, id))) throw unknown()
        await append(tx, 'oauth.application_deleted', actor, application)
      })
    },
  }
}

const unknown = (): Error => notFound('OAuth2 application does not exist')
