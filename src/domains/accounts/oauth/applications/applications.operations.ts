import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { asId, type OauthApplicationId } from '../../../../core/platform/crypto/ids.ts'
import type { OauthApplications } from './applications.service.ts'
import { CreateOAuth2ApplicationOptions, OAuth2Application } from './oauth2-application.model.ts'
import { presentOauth2Application } from './oauth2-application.present.ts'

const LIST = '/user/applications/oauth2'
const ONE = '/user/applications/oauth2/{id:int}'

/** OAuth2 applications of the requesting user (behaviour/auth-and-access#oauth2-applications). */
export function oauthApplicationOperations({
  applications,
}: {
  readonly applications: OauthApplications
}): Operation[] {
  const common = { area: 'user', scopes: ['user'], guard: signedIn } as const
  return [
    defineOperation({
      ...common,
      id: 'userGetOauth2Application',
      method: 'GET',
      path: LIST,
      summary: "List the caller's OAuth2 applications",
      query: pagingQuery,
      responses: { 200: Type.Array(OAuth2Application) },
      async handler({ access: { account }, paging }) {
        const page = await applications.list(account.id, paging)
        return listed(
          page,
          page.items.map((application) => presentOauth2Application(application)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: 'userCreateOAuth2Application',
      method: 'POST',
      path: LIST,
      summary: 'Create an OAuth2 application; the answer shows its secret for the only time',
      body: CreateOAuth2ApplicationOptions,
      responses: { 201: OAuth2Application },
      errors: [422],
      async handler({ access: actor, body }) {
        const { application, secret } = await applications.create(actor, readApplication(body))
        return created(presentOauth2Application(application, secret))
      },
    }),
    defineOperation({
      ...common,
      id: 'userGetOAuth2Application',
      method: 'GET',
      path: ONE,
      params: { id: asId<OauthApplicationId> },
      summary: 'Get an OAuth2 application of the caller',
      responses: { 200: OAuth2Application },
      errors: [404],
      handler: async ({ access: { account }, params }) =>
        ok(presentOauth2Application(await applications.get(account.id, params.id))),
    }),
    defineOperation({
      ...common,
      id: 'userUpdateOAuth2Application',
      method: 'PATCH',
      path: ONE,
      params: { id: asId<OauthApplicationId> },
      summary: 'Replace an OAuth2 application of the caller; the answer shows its new secret for the only time',
      body: CreateOAuth2ApplicationOptions,
      responses: { 200: OAuth2Application },
      errors: [404, 422],
      async handler({ access: actor, params, body }) {
        const { application, secret } = await applications.replace(actor, params.id, readApplication(body))
        return ok(presentOauth2Application(application, secret))
      },
    }),
    defineOperation({
      ...common,
      id: 'userDeleteOAuth2Application',
      method: 'DELETE',
      path: ONE,
      params: { id: asId<OauthApplicationId> },
      summary: 'Delete an OAuth2 application of the caller and all that users granted it',
      responses: { 204: null },
      errors: [404],
      async handler({ access: actor, params }) {
        await applications.delete(actor, params.id)
        return noContent()
      },
    }),
  ]
}

/** Absent members count as false or empty: the body replaces the whole application. */
function readApplication(body: CreateOAuth2ApplicationOptions): {
  name: string
  redirectUris: string[]
  isConfidential: boolean
  skipsConsent: boolean
} {
  return {
    name: body.name,
    redirectUris: body.redirect_uris,
    isConfidential: body.confidential_client ?? false,
    skipsConsent: body.skip_secondary_authorization ?? false,
  }
}
