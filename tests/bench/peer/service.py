"""A small Django REST service with the same records: what the usual stack needs for the same requests.

It checks a token and knows nothing of review, visibility, conflicts or history, so it is given a start.
    service.py load < ROWS.jsonl        makes the tables, stores a record for each line, prints a token
    gunicorn service:application        serves
PostgreSQL is where PEER_HOST (a folder) and PEER_PORT say.
"""

import json
import os
import sys

import django
from django.conf import settings

settings.configure(
    SECRET_KEY=os.environ["PEER_SECRET"],
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "rest_framework"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": "postgres",
            "USER": "bench",
            "HOST": os.environ["PEER_HOST"],
            "PORT": os.environ["PEER_PORT"],
            "CONN_MAX_AGE": 600,
        }
    },
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.LimitOffsetPagination",
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "PAGE_SIZE": 20,
    },
)
django.setup()

from django.contrib.auth.models import User
from django.core.signing import BadSignature, Signer
from django.core.wsgi import get_wsgi_application
from django.db import connection, models, transaction
from django.urls import include, path
from rest_framework import authentication, exceptions, routers, serializers, viewsets


class Record(models.Model):
    name = models.CharField(max_length=300)
    description = models.TextField(blank=True)
    data = models.JSONField(default=dict)
    contributor = models.ForeignKey(User, on_delete=models.CASCADE)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        app_label = "contenttypes"
        db_table = "record"
        ordering = ["-created_at", "-id"]


class Claim(models.Model):
    record = models.ForeignKey(Record, on_delete=models.CASCADE, related_name="claims")
    property = models.CharField(max_length=100)
    value = models.TextField()
    source_type = models.CharField(max_length=40)
    source_citation = models.TextField(blank=True)
    confidence = models.CharField(max_length=20)
    contributed_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        app_label = "contenttypes"
        db_table = "claim"


class ClaimOut(serializers.ModelSerializer):
    class Meta:
        model = Claim
        exclude = ["record"]


class Row(serializers.ModelSerializer):
    contributor = serializers.CharField(source="contributor.username", read_only=True)

    class Meta:
        model = Record
        fields = "__all__"


class Detail(Row):
    claims = ClaimOut(many=True, read_only=True)


class Bearer(authentication.BaseAuthentication):
    def authenticate(self, request):
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer":
            return None
        try:
            return User.objects.get(pk=Signer().unsign(token)), None
        except (BadSignature, User.DoesNotExist) as error:
            raise exceptions.AuthenticationFailed() from error


def contributed(user, values):
    """A record with a claim for each of its values, together or not at all."""
    source = values.get("assertion", {})
    values = {name: value for name, value in values.items() if name != "assertion"}
    with transaction.atomic():
        it = Record.objects.create(
            name=values["name"], description=values.get("description", ""), data=values, contributor=user
        )
        Claim.objects.bulk_create(
            Claim(
                record=it,
                property=name,
                value=str(value),
                source_type=source.get("source_type", "book"),
                source_citation=source.get("source_citation", ""),
                confidence=source.get("confidence", "likely"),
                contributed_by=user.username,
            )
            for name, value in values.items()
        )
    return it


class Incoming(serializers.Serializer):
    name = serializers.CharField(max_length=300)
    assertion = serializers.DictField(required=False)


class Records(viewsets.ModelViewSet):
    authentication_classes = [Bearer]

    def get_queryset(self):
        rows = Record.objects.select_related("contributor")
        asked = self.request.query_params.get("search")
        if asked:
            rows = rows.filter(models.Q(name__icontains=asked) | models.Q(description__icontains=asked))
        return rows.prefetch_related("claims") if self.action == "retrieve" else rows

    def get_serializer_class(self):
        return Row if self.action == "list" else Detail

    def create(self, request):
        from rest_framework.response import Response

        Incoming(data=request.data).is_valid(raise_exception=True)
        return Response(Detail(contributed(request.user, request.data)).data, status=201)


router = routers.SimpleRouter()
router.register("records", Records, basename="record")
urlpatterns = [path("", include(router.urls))]
application = get_wsgi_application()


def load(lines):
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Record, Claim):
            editor.create_model(model)
    user = User.objects.create(username="bench")
    for line in lines:
        contributed(user, json.loads(line))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(Signer().sign(user.pk))


if __name__ == "__main__" and sys.argv[1:] == ["load"]:
    load(sys.stdin)
