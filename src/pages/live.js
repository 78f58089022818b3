// Updates a page from the server. Forms with `data-stay` are sent without leaving the page. With
// <body data-refresh="5"> the page is loaded every 5 s, by its form with `data-refresh` or else by
// its URL. Elements with an id and `data-live` are replaced when they have changed, and screen
// readers announce the element with `data-said`.
{
  let turn = 0
  let isSending = false

  const regions = () => document.querySelectorAll('[id][data-live]')
  /** Stores the server's last version of each region, so that the reader's input stays. */
  const serverRegions = new Map([...regions()].map((region) => [region.id, region.cloneNode(true)]))

  const parse = (text) => new DOMParser().parseFromString(text, 'text/html')

  /** Replaces the regions that have changed on the server, and restores the focus. */
  function show(text) {
    const fresh = parse(text)
    const focused = document.activeElement?.id
    for (const region of regions()) {
      const next = fresh.getElementById(region.id)
      if (next === null || serverRegions.get(region.id)?.isEqualNode(next)) continue
      serverRegions.set(region.id, next.cloneNode(true))
      region.replaceWith(next)
      if (next.contains(document.getElementById(focused))) document.getElementById(focused).focus()
    }
    announce(fresh.querySelector('[data-said]')?.textContent ?? '')
  }

  /** Lets screen readers announce a text. */
  function announce(text) {
    const said = document.getElementById('said')
    if (said.textContent !== text) said.textContent = text
  }

  /** Loads a page and shows it, unless a form was sent since. */
  async function load(address, init) {
    const loadTurn = turn
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
      if (loadTurn !== turn) return
      if (!response.ok) {
        why = parse(text).querySelector('[role=alert]')?.textContent ?? ''
        throw new Error(response.statusText)
      }
      show(text)
      document.body.classList.remove('stale')
      if (status) status.textContent = ''
    } catch {
      if (loadTurn !== turn || document.body.classList.contains('stale')) return
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

  /** Sends a form; the page is not refreshed until the answer arrives. */
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
