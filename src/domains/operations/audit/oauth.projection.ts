import type { AppendedEvent, Projections } from '../../../core/events/index.ts'
import { accountTarget, recorded } from './record.ts'

const onApplication = <Kind extends `oauth.application_${'created' | 'deleted' | 'edited'}`>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...of } = payload as AppendedEvent<'oauth.application_created'>['payload']
    return {
      action,
      target: await accountTarget(tx, id),
      details: { application_id: of.application_id, application: of.name },
    }
  })

const onGrant = <Kind extends 'oauth.grant_given' | 'oauth.grant_revoked'>(action: string) =>
  recorded<Kind>(async (tx, { payload }) => {
    const { user_id: id, ...of } = payload as AppendedEvent<'oauth.grant_given'>['payload']
    return {
      action,
      target: await accountTarget(tx, id),
      details: { application_id: of.application_id, application: of.name, scope: of.scope },
    }
  })

/** OAuth2 applications, and what users let them do. */
export const oauthProjections: Projections = {
  'oauth.application_created': onApplication<'oauth.application_created'>('oauth-application.created'),
  'oauth.application_edited': onApplication<'oauth.application_edited'>('oauth-application.changed'),
  'oauth.application_deleted': onApplication<'oauth.application_deleted'>('oauth-application.deleted'),
  'oauth.grant_given': onGrant<'oauth.grant_given'>('oauth-grant.given'),
  'oauth.grant_revoked': onGrant<'oauth.grant_revoked'>('oauth-grant.revoked'),
}
