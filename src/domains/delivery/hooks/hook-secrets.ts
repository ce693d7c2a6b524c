/** Places of the sealed texts of a webhook, see `SecretBox`. */
export const SECRET_CONTEXT = 'webhook.secret'
export const HEADER_CONTEXT = 'webhook.authorization_header'
