// Keeps a page as it is on the server. Forms with `data-live` are sent without leaving the page; where
// <body data-refresh="5"> says so, the page is asked for again every 5 s: by its form with
// `data-refresh`, else by its address. What changes is each element with an id and `data-live`.
;(() => {
  let turn = 0

  /** Puts the regions of a fresh page in the place of those that differ, and leaves the focus where it was. */
  function show(text) {
    const fresh = new DOMParser().parseFromString(text, 'text/html')
    const focused = document.activeElement?.id
    for (const region of document.querySelectorAll('[id][data-live]')) {
      const next = fresh.getElementById(region.id)
      if (next !== null && !next.isEqualNode(region)) region.replaceWith(next)
    }
    if (focused) document.getElementById(focused)?.focus()
    document.dispatchEvent(new Event('shown'))
  }

  /** Asks for a page and shows it; what was asked for before something else was sent is dropped. */
  async function load(address, init) {
    const mine = turn
    const status = document.getElementById('freshness')
    try {
      const response = await fetch(address, {
        ...init,
        redirect: 'error',
        signal: AbortSignal.timeout(20_000),
      })
      if (!response.ok) throw new Error(response.statusText)
      const text = await response.text()
      if (mine !== turn) return
      show(text)
      document.body.classList.remove('stale')
      if (status) status.textContent = ''
    } catch {
      if (mine !== turn || document.body.classList.contains('stale')) return
      document.body.classList.add('stale')
      const since = new Date().toLocaleTimeString()
      if (status) status.textContent = `No answer since ${since}: what is shown is older.`
    }
  }

  const post = (form, button) => ({
    method: 'POST',
    body: new URLSearchParams(new FormData(form, button)),
  })

  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!form.matches('form[data-live]')) return
    event.preventDefault()
    turn += 1
    void load(form.action, post(form, event.submitter))
  })

  async function refresh() {
    if (document.hidden) return
    const form = document.querySelector('form[data-refresh]')
    await (form === null ? load(location.href) : load(form.action, post(form)))
  }

  const seconds = Number(document.body.dataset.refresh)
  async function keepFresh() {
    await refresh()
    setTimeout(keepFresh, seconds * 1_000)
  }
  if (seconds > 0) setTimeout(keepFresh, seconds * 1_000)
})()
