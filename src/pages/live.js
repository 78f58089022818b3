// Keeps a page as it is on the server. Forms with `data-stay` are sent without leaving the page.
// With <body data-refresh="5"> the page is reloaded every 5 s: by its form with `data-refresh`,
// else by its URL. Each element with an id and `data-live` is replaced; screen readers announce
// the element with `data-said`.
{
  let turn = 0
  let isSending = false

  const regions = () => document.querySelectorAll('[id][data-live]')
  /** Has each region as the server wrote it last: what is typed or opened in one since stays. */
  const written = new Map([...regions()].map((region) => [region.id, region.cloneNode(true)]))

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html')

  /** Replaces the regions that have changed on the server, and keeps the focus. */
  function show(text) {
    const fresh = parse(text)
    const focused = document.activeElement?.id
    for (const region of regions()) {
      const next = fresh.getElementById(region.id)
      if (next === null || written.get(region.id)?.isEqualNode(next)) continue
      written.set(region.id, next.cloneNode(true))
      region.replaceWith(next)
      if (next.contains(document.getElementById(focused))) document.getElementById(focused).focus()
    }
    tell(fresh.querySelector('[data-said]')?.textContent ?? '')
  }

  /** Has a screen reader say what is new. */
  function tell(text) {
    const said = document.getElementById('said')
    if (said.textContent !== text) said.textContent = text
  }

  /** Asks for a page and shows it; what was asked for before something else was sent is dropped. */
  async function load(address, init) {
    const mine = turn
    const status = document.getElementById('freshness')
    let why = ''
    try {
      const response = await fetch(address, {
        ...init,
        headers: { 'x-fresh': '1' },
        redirect: 'error',
        signal: AbortSignal.timeout(20_000),
      })
      const text = await response.text()
      if (mine !== turn) return
      if (!response.ok) {
        why = parse(text).querySelector('[role=alert]')?.textContent ?? ''
        throw new Error(response.statusText)
      }
      show(text)
      document.body.classList.remove('stale')
      if (status) status.textContent = ''
    } catch {
      if (mine !== turn || document.body.classList.contains('stale')) return
      document.body.classList.add('stale')
      const since = new Date().toLocaleTimeString()
      if (status) status.textContent = `No answer since ${since}: what is shown is older. ${why}`
    }
  }

  const post = (form, button) => ({
    method: 'POST',
    body: new URLSearchParams(new FormData(form, button)),
  })

  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!form.matches('form[data-stay]')) return
    event.preventDefault()
    if (!isSending) void send(form, event.submitter)
  })

  /** Sends a form; until it is answered the page is not updated. */
  async function send(form, button) {
    turn += 1
    isSending = true
    await load(form.getAttribute('action'), post(form, button))
    isSending = false
  }

  async function refresh() {
    if (document.hidden || isSending) return
    const form = document.querySelector('form[data-refresh]')
    await (form === null ? load(location.href) : load(form.getAttribute('action'), post(form)))
  }

  const seconds = Number(document.body.dataset.refresh)
  async function keepFresh() {
    await refresh()
    setTimeout(keepFresh, seconds * 1_000)
  }
  if (seconds > 0) setTimeout(keepFresh, seconds * 1_000)
}
