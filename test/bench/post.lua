-- For wrk: sends its last argument as JSON with POST.
function init(args)
  wrk.method = 'POST'
  wrk.body = args[1]
  wrk.headers['Content-Type'] = 'application/json'
end
