import { type Html, safeHtml } from '../../../../core/platform/html.ts'
import { formField } from '../web/browser.ts'
import type { RegistrationOffer, SignInOffer } from './passkeys.service.ts'

/**
 * The only script of the pages. It shows the buttons where the browser has passkeys, hands their options to the
 * authenticator, and sends the response with the form.
 */
export const PASSKEY_SCRIPT = `
const key = window.PublicKeyCredential
if (key?.parseRequestOptionsFromJSON) {
  for (const text of document.querySelectorAll('[data-no-passkeys]')) text.hidden = true
  for (const button of document.querySelectorAll('button[data-passkey]')) {
    const { form, dataset, parentNode } = button
    const message = parentNode.querySelector('output')
    button.hidden = false
    button.addEventListener('click', async () => {
      const options = JSON.parse(dataset.options)
      message.textContent = ''
      try {
        const credential = dataset.passkey === 'create'
          ? await navigator.credentials.create({ publicKey: key.parseCreationOptionsFromJSON(options) })
          : await navigator.credentials.get({ publicKey: key.parseRequestOptionsFromJSON(options) })
        form.elements.response.value = JSON.stringify(credential)
        form.submit()
      } catch (error) {
        message.textContent = error.name === 'InvalidStateError'
          ? 'This authenticator has a passkey of this account already.'
          : 'No passkey was used. Try again.'
      }
    })
  }
}
`

/** The fields that the script fills in, and the button, which is hidden without the script. */
export function passkeyButton({ ticket, options }: RegistrationOffer | SignInOffer, label: string): Html {
  const kind = 'rp' in options ? 'create' : 'get'
  return safeHtml`${formField('passkey_ticket', ticket)}${formField('response', '')}
<button type="button" hidden data-passkey="${kind}" data-options="${JSON.stringify(options)}">${label}</button>
<output></output>`
}
