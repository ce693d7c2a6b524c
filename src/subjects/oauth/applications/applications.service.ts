import { randomUUID } from 'node:crypto'
import type { Database } from '../../../db/database.ts'
import { flag } from '../../../db/flag.ts'
import type { Clock } from '../../../platform/clock.ts'
import { randomBase32, sha256Hex } from '../../../platform/crypto/crypto.ts'
import { notFound } from '../../../platform/errors.ts'
import type { OauthApplicationId, UserId } from '../../../platform/crypto/ids.ts'
import type { Page, Paging } from '../../../platform/paging.ts'
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
  /** Shown once and never stored. */
  readonly secret: string
}

/** The OAuth2 applications of a user (behaviour/auth-and-access#oauth2-applications). */
export interface OauthApplications {
  list(userId: UserId, paging: Paging): Promise<Page<OauthApplication>>
  /** Throws NotFound for everything but the user's own. */
  get(userId: UserId, id: OauthApplicationId): Promise<OauthApplication>
  create(userId: UserId, input: ApplicationInput): Promise<ApplicationWithSecret>
  /** Replaces everything and makes a new secret. Throws NotFound. */
  replace(userId: UserId, id: OauthApplicationId, input: ApplicationInput): Promise<ApplicationWithSecret>
  /** With every grant users gave it. Throws NotFound. */
  delete(userId: UserId, id: OauthApplicationId): Promise<void>
}

const SECRET_BYTES = 32

export function createOauthApplications({ database, clock }: { database: Database; clock: Clock }): OauthApplications {
  const newSecret = (): string => `gto_${randomBase32(SECRET_BYTES)}`
  const columns = (input: ApplicationInput, secret: string) => ({
    name: input.name,
    redirect_uris: JSON.stringify(input.redirectUris),
    is_confidential: flag(input.isConfidential),
    skips_consent: flag(input.skipsConsent),
    secret_hash: sha256Hex(secret),
    updated_at: clock.now(),
  })
  return {
    list: (userId, paging) => listApplications(database.read, userId, paging),

    async get(userId, id) {
      const application = await findApplicationOf(database.read, userId, id)
      if (application === undefined) throw unknown()
      return application
    },

    async create(userId, input) {
      const secret = newSecret()
      const application = await database.transaction(async (tx) => {
        const id = await insertApplication(tx, {
          ...columns(input, secret),
          user_id: userId,
          client_id: randomUUID(),
          created_at: clock.now(),
        })
        return (await findApplicationOf(tx, userId, id))!
      })
      return { application, secret }
    },

    async replace(userId, id, input) {
      const secret = newSecret()
      const application = await database.transaction(async (tx) => {
        if ((await findApplicationOf(tx, userId, id)) === undefined) throw unknown()
        await updateApplication(tx, id, columns(input, secret))
        return (await findApplicationOf(tx, userId, id))!
      })
      return { application, secret }
    },

    async delete(userId, id) {
      await database.transaction(async (tx) => {
        if ((await findApplicationOf(tx, userId, id)) === undefined) throw unknown()
        await deleteApplication(tx, id)
      })
    },
  }
}

const unknown = (): Error => notFound('OAuth2 application does not exist')
