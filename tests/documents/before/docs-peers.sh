# What desk has got from news.
printf 'a token of desk\n' > news-token
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=news.example.org \
    -keyout /dev/null -out news-cert.pem 2> /dev/null
