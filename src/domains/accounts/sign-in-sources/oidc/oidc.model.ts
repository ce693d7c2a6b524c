import { type Static, Type } from '@sinclair/typebox'
import { LIST_ITEMS, NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { OneOf } from '../../../../core/http/answer/text.ts'

const URL_LENGTH = 2048
const SECRET_LENGTH = 2048

const Text = (description: string, maxLength = NAME_LENGTH) => Type.String({ maxLength, description })
const Address = (description: string) => Text(description, URL_LENGTH)
const List = (description: string) =>
  Type.Array(Type.String({ maxLength: NAME_LENGTH }), { maxItems: LIST_ITEMS, description })

const GroupTeam = Type.Object({
  group: Text('Value of the claim of groups'),
  organization: Type.String({ maxLength: NAME_LENGTH }),
  team: Type.String({ maxLength: NAME_LENGTH }),
})

const members = {
  issuer: Address('Address of the provider; /.well-known/openid-configuration is below it'),
  authorization_url: Address('Of an OAuth2 provider without OpenID Connect, with token_url and userinfo_url'),
  token_url: Address('Of an OAuth2 provider without OpenID Connect'),
  userinfo_url: Address('Of an OAuth2 provider without OpenID Connect'),
  client_id: Text('As the provider calls this server'),
  scopes: List('Asked for; openid is among them for OpenID Connect'),
  subject_claim: Text('What never changes of a person: sub for OpenID Connect'),
  username_claim: Text('Name of new accounts'),
  email_claim: Text('E-mail address of new accounts'),
  full_name_claim: Text('Full name of new accounts'),
  trust_email: Type.Boolean({ description: 'Use e-mail addresses that the provider does not call verified' }),
  registration: OneOf('off', 'on', 'domains'),
  allowed_domains: List('With registration = domains: of the verified e-mail addresses that get an account'),
  groups_claim: Text('Groups of a person; empty: none'),
  allowed_groups: List('Only members of one of these groups can sign in; empty: everyone'),
  admin_groups: List('Members are site administrators, others are not; empty: the server decides'),
  restricted_groups: List('Members are restricted, others are not; empty: the server decides'),
  group_teams: Type.Array(GroupTeam, { maxItems: LIST_ITEMS, description: 'Teams for the members of groups' }),
  remove_from_teams: Type.Boolean({ description: 'Take users from these teams who are in no group for them' }),
  skip_second_factor: Type.Boolean({ description: 'Ask for no one-time code or passkey of this server' }),
}

const clientSecret = Type.String({ maxLength: SECRET_LENGTH, description: 'Secret of client_id' })

const OidcSettings = Type.Object({ ...members, client_secret: clientSecret })
export type OidcSettings = Static<typeof OidcSettings>

export const OidcView = Type.Object({ ...members, has_client_secret: Type.Boolean() }, { $id: 'OidcSettings' })

export const OidcOptions = Type.Partial(OidcSettings, { $id: 'OidcOptions' })
